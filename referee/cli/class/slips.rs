//! Slips: a page to print and cut, with what each student needs to hand in a bot.

use std::fmt::Write as _;
use std::path::Path;

use referee_contest::class::Enrolled;
use referee_contest::class::settings::ClassSettings;
use referee_contest::publish;
use referee_files::beneath::Spot;
use referee_record::error::Error;

use crate::say;

/// Writes the slips of these students into the folder of their class: a page that none of before is written over.
pub(super) fn write(dir: &Path, class: &ClassSettings, enrolled: &[Enrolled]) -> Result<(), Error> {
    let names =
        ["slips.html".to_owned()].into_iter().chain((2..).map(|number| format!("slips{number}.html")));
    let mut spots = names.map(|name| Spot::below(dir, name));
    let spot = spots.find(|spot| !spot.exists()).expect("numbers do not end");
    let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let page = page(&class.address, &name, &class.deadline, enrolled);
    let path = spot.path().to_owned();
    publish::replace_secret(spot, page.as_bytes())?;
    say(format!("Print {} and cut it: each slip has a token, which is shown nowhere else", path.display()));
    Ok(())
}

/// Returns the page. `name` is that of the class, in addresses.
fn page(address: &str, name: &str, deadline: &str, enrolled: &[Enrolled]) -> String {
    let home = format!("{}/{name}", address.trim_end_matches('/'));
    let mut slips = String::new();
    for Enrolled { student, invited } in enrolled {
        let team = if student.team.is_empty() { String::new() } else { format!(", team {}", student.team) };
        let shown = if invited.name == student.name {
            String::new()
        } else {
            format!("<p>Pages call you {}.</p>", escaped(&invited.name))
        };
        writeln!(
            slips,
            "<section><h2>{}{}</h2><p>Id: {}</p>{shown}<p>Open <b>{}</b></p><p>Token: <code>{}</code></p><ol><li>Open the address, and choose \
             <i>Submit</i>.</li><li>Enter the token, a name for your bot, which all its versions have, and its file: a source or a program.</li>\
             <li>The page says whether it plays, or what to mend. Hand in as often as you like until {}.</li></ol></section>",
            escaped(&student.name),
            escaped(&team),
            escaped(&student.id),
            escaped(&home),
            escaped(&invited.token),
            escaped(deadline),
        )
        .expect("a text takes all");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Slips</title>\n<style>body{{font:12pt sans-serif;margin:1cm}}\
         section{{border:1px dashed #888;padding:.4cm .6cm;margin:0 0 .5cm;break-inside:avoid}}h2{{margin:0 0 .2cm;font-size:14pt}}\
         p{{margin:.1cm 0}}code{{font-size:11pt;overflow-wrap:anywhere}}ol{{margin:.2cm 0 0}}</style>\n{slips}</html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
