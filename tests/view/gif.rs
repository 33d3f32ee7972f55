//! A game as a GIF: one picture a turn, with the board of the page.

use std::fs;

use gif::{ColorOutput, DecodeOptions};

use crate::called::Calls;
use crate::support::{Place, playthrough};

/// All pictures, each on top of the kept parts of earlier ones, as colours; and the duration of each.
fn pictures(bytes: &[u8]) -> (Vec<Vec<[u8; 4]>>, Vec<u16>) {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).expect("a GIF");
    let (mut now, mut all, mut delays) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().expect("a picture") {
        now.resize(frame.buffer.len() / 4, [0; 4]);
        let pixels = frame.buffer.chunks(4).map(|pixel| <[u8; 4]>::try_from(pixel).unwrap());
        now.iter_mut().zip(pixels).filter(|(_, pixel)| pixel[3] > 0).for_each(|(old, pixel)| *old = pixel);
        all.push(now.clone());
        delays.push(frame.delay);
    }
    (all, delays)
}

fn gif(place: &Place, game: &str, words: &[&str]) -> Vec<u8> {
    let log = playthrough(game);
    let words = [&["replay", log.to_str().unwrap(), "--gif", "new/game.gif"], words].concat();
    place.call(&words).with_status(0);
    fs::read(place.path("new/game.gif")).unwrap()
}

#[test]
fn a_picture_is_the_same_whatever_stands_before_it() {
    let place = Place::new();
    for game in ["football", "push"] {
        let (all, delays) = pictures(&gif(&place, game, &["--from", "2", "--to", "6"]));
        assert_eq!((all.len(), delays.last()), (5, Some(&300)), "{game}");
        let (alone, _) = pictures(&gif(&place, game, &["--from", "6", "--to", "6"]));
        assert_eq!((&alone[0], alone.len()), (&all[4], 1), "{game}");
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{game}: each turn moves something");
        let colours: std::collections::BTreeSet<_> = all[4].iter().collect();
        assert!((10..=220).contains(&colours.len()), "{game}: {} colours", colours.len());
    }
}

#[test]
fn a_film_has_the_colours_of_the_page() {
    let place = Place::new();
    for game in ["football", "foosball", "push", "target"] {
        let (all, _) = pictures(&gif(&place, game, &["--from", "20", "--to", "20"]));
        let has = |colour: [u8; 3]| all[0].iter().filter(|pixel| pixel[..3] == colour).count() > 20;
        // Those of seats 0 and 1, of the card and of text: the variables of the page's style.
        for colour in [[0x00, 0x72, 0xb2], [0xc6, 0x54, 0x00], [0xff, 0xff, 0xff], [0x16, 0x20, 0x2c]] {
            assert!(has(colour), "{game}: {colour:?}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let place = Place::new();
    let log = playthrough("push");
    let replay = |words: &[&str]| place.call(&[&["replay", log.to_str().unwrap()], words].concat());
    replay(&["--gif", "a.gif", "--from", "5", "--to", "4"])
        .with_status(2)
        .complaining(&["--from 5 is after --to 4"]);
    replay(&["--gif", "a.gif", "--to", "21"]).with_status(2).complaining(&["the game has 20 turns, not 21"]);
    replay(&["--gif", "/dev/null/a.gif"]).with_status(1).complaining(&["cannot write"]);
    assert!(!place.path("a.gif").exists());
}

#[test]
fn a_film_is_not_written_under_the_name_of_another_kind_of_picture() {
    let place = Place::new();
    let log = playthrough("push");
    for name in ["film.png", "film.MP4"] {
        let words = ["replay", log.to_str().expect("a path"), "--gif", name];
        place.call(&words).with_status(2).complaining(&[name, ".gif"]);
        assert!(!place.path(name).exists());
    }
}
