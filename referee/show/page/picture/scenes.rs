//! The picture of a game without a board of its own: the scene that its facts describe.

use referee_rules::Seat;
use referee_rules::picture::{At, Paint, Picture, Shape, WIDTH};
use referee_rules::scene::{FAR, Grid, Ground, Scene};

/// Where places are, and how large.
struct Places<'a> {
    ground: &'a Ground,
    /// Width and height of a cell.
    cell: At,
    /// The radius of a place.
    radius: f64,
}

/// Draws a scene. `labels` are the texts of the game.
pub(super) fn draw(scene: &Scene, labels: &[&str]) -> Picture {
    let (places, height) = Places::of(&scene.ground);
    let mut picture = Picture::new(height);
    picture.rectangle((0.0, 0.0), (WIDTH, height), Paint::Field, 1.0);
    let count = match &scene.ground {
        Ground::Grid(grid) => grid.rows * grid.columns,
        Ground::Points(points) => points.len(),
    };
    let is_grid = matches!(scene.ground, Ground::Grid(_));
    if !is_grid {
        draw_lines(&mut picture, &places, scene);
    }
    for place in 0..count {
        places.area(&mut picture, place, 1.0, if is_grid { Paint::Grid } else { Paint::Wall }, 1.0);
        places.area(&mut picture, place, 0.94, if is_grid { Paint::Field } else { Paint::Card }, 1.0);
    }
    for cell in &scene.cells {
        let opacity = if cell.owner.is_some() { 0.45 } else { 1.0 };
        places.area(&mut picture, cell.place, 0.94, paint(cell.owner), opacity);
        if let Some(at) = places.at(cell.place).filter(|_| cell.number != 0) {
            picture.text(at, 0.9 * places.radius, cell.number.to_string(), Paint::Ink);
        }
    }
    if is_grid {
        draw_lines(&mut picture, &places, scene);
    }
    draw_tokens(&mut picture, &places, scene);
    for label in &scene.labels {
        let text = label.number.checked_sub(1).and_then(|number| labels.get(number));
        let Some((text, (x, y))) = text.zip(places.at(label.place)) else { continue };
        let size = (0.8 * places.radius).clamp(16.0, 32.0);
        let half = 0.3 * size * text.chars().count() as f64;
        let x = x.clamp(half.min(WIDTH / 2.0), (WIDTH - half).max(WIDTH / 2.0));
        let away = places.radius + if is_grid { -0.6 } else { 0.6 } * size;
        let y = if y + away + size / 2.0 > height { y - away } else { y + away };
        picture.text((x, y), size, *text, Paint::Ink);
    }
    picture
}

fn draw_lines(picture: &mut Picture, places: &Places<'_>, scene: &Scene) {
    for line in &scene.lines {
        if let (Some(from), Some(to)) = (places.at(line.from), places.at(line.to)) {
            picture.line(from, to, (0.2 * places.radius).max(2.0), paint(line.owner), 1.0);
        }
    }
}

fn draw_tokens(picture: &mut Picture, places: &Places<'_>, scene: &Scene) {
    for token in &scene.tokens {
        let Some(at) = places.at(token.place) else { continue };
        match token.owner {
            Some(seat) => picture.token(seat, at, 0.76 * places.radius),
            None => picture.circle(at, 0.76 * places.radius, Paint::Ink, 1.0),
        }
        if let Some(glyph) = token.glyph {
            picture.text(at, places.radius, glyph.to_string(), Paint::Card);
        }
    }
}

fn paint(owner: Option<Seat>) -> Paint {
    owner.map_or(Paint::Wall, Paint::Seat)
}

impl Places<'_> {
    /// Returns the places of a ground, and the height of the picture.
    fn of(ground: &Ground) -> (Places<'_>, f64) {
        match ground {
            Ground::Grid(Grid { rows, columns, hexagonal, .. }) => {
                let half = if *hexagonal { 0.5 } else { 0.0 };
                let width = WIDTH / (*columns as f64 + half);
                let height = if *hexagonal { width * 3f64.sqrt() / 2.0 } else { width };
                let above = if *hexagonal { width / 3f64.sqrt() - height / 2.0 } else { 0.0 };
                let all = height * *rows as f64 + 2.0 * above;
                (Places { ground, cell: (width, height), radius: width / 2.0 }, all)
            }
            Ground::Points(points) => {
                let radius = WIDTH * (0.35 / (points.len() as f64).sqrt()).min(0.03);
                (Places { ground, cell: (0.0, 0.0), radius }, 0.75 * WIDTH)
            }
        }
    }

    /// Returns the middle of a place, if it is drawn.
    fn at(&self, place: usize) -> Option<At> {
        match self.ground {
            Ground::Grid(Grid { columns, hexagonal, .. }) => {
                let (row, column) = (place / columns, place % columns);
                let shift = if *hexagonal && row % 2 == 1 { 1.0 } else { 0.5 };
                let above = if *hexagonal { self.cell.0 / 3f64.sqrt() } else { self.cell.1 / 2.0 };
                Some(((column as f64 + shift) * self.cell.0, row as f64 * self.cell.1 + above))
            }
            Ground::Points(points) => {
                let (x, y) = (*points.get(place)?)?;
                let edge = 1.5 * self.radius;
                let along = |far: i64, room: f64| edge + far as f64 / FAR as f64 * (room - 2.0 * edge);
                Some((along(x, WIDTH), along(y, 0.75 * WIDTH)))
            }
        }
    }

    /// Fills a place, or this part of its width.
    fn area(&self, picture: &mut Picture, place: usize, part: f64, paint: Paint, opacity: f64) {
        let Some((x, y)) = self.at(place) else { return };
        match self.ground {
            Ground::Points(_) => picture.circle((x, y), self.radius * part, paint, opacity),
            Ground::Grid(Grid { hexagonal: false, .. }) => {
                let (width, height) = (self.cell.0 * part, self.cell.1 * part);
                picture.rectangle((x - width / 2.0, y - height / 2.0), (width, height), paint, opacity);
            }
            Ground::Grid(_) => {
                let radius = self.cell.0 / 3f64.sqrt() * part;
                let corner = |corner: u8| {
                    let angle = f64::from(corner) * std::f64::consts::PI / 3.0 + std::f64::consts::PI / 6.0;
                    (x + radius * angle.cos(), y + radius * angle.sin())
                };
                picture.shapes.push(Shape::Polygon { corners: (0..6).map(corner).collect(), paint, opacity });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_rules::scene::{Cell, Label, Line, Token};

    #[test]
    fn every_kind_of_scene_is_drawn_within_its_picture() {
        let owner = Some(Seat::new(1));
        let grid = Grid { rows: 3, columns: 4, ..Grid::default() };
        for ground in [
            Ground::Grid(grid),
            Ground::Grid(Grid { hexagonal: true, torus: true, ..grid }),
            Ground::Points(
                (0..12).map(|point| (point != 5).then_some((point * 90, FAR - point * 90))).collect(),
            ),
        ] {
            let scene = Scene {
                cells: vec![Cell { place: 2, owner, number: 5 }],
                tokens: vec![Token { place: 11, owner, number: Some(4), glyph: Some('K') }],
                lines: vec![Line { from: 0, to: 11, owner, number: 0 }],
                labels: vec![Label { place: 8, number: 1 }, Label { place: 0, number: 7 }],
                ..Scene::new(ground)
            };
            let picture = draw(&scene, &["inn"]);
            let texts = picture.shapes.iter().filter_map(|shape| match shape {
                Shape::Text { text, at, .. } => Some((&**text, *at)),
                _ => None,
            });
            let texts: Vec<(&str, At)> = texts.collect();
            assert_eq!(texts.iter().map(|(text, _)| *text).collect::<Vec<_>>(), ["5", "K", "inn"]);
            for (x, y) in texts.iter().map(|(_, at)| *at) {
                assert!((0.0..WIDTH).contains(&x) && (0.0..picture.height).contains(&y), "{x} {y}");
            }
            for corners in picture.shapes.iter().filter_map(|shape| match shape {
                Shape::Polygon { corners, .. } => Some(corners),
                _ => None,
            }) {
                for (x, y) in corners {
                    assert!(
                        (-1.0..=WIDTH + 1.0).contains(x) && (-1.0..=picture.height + 1.0).contains(y),
                        "{x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn places_are_a_cell_apart_and_every_second_row_of_hexagons_is_half_a_cell_further() {
        let ground = Ground::Grid(Grid { rows: 3, columns: 4, hexagonal: true, ..Grid::default() });
        let (places, _) = Places::of(&ground);
        let halves = |place| (2.0 * places.at(place).unwrap().0 / places.cell.0).round();
        assert_eq!([0, 3, 4].map(halves), [1.0, 7.0, 2.0]);
    }
}
