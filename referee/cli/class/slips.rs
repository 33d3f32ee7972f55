//! Slips: a page to print and cut, with what each student needs to hand in a bot.

use std::fmt::Write as _;

use referee_contest::class::Enrolled;

/// Returns the page. `name` is that of the class, in addresses.
pub(super) fn page(address: &str, name: &str, deadline: &str, enrolled: &[Enrolled]) -> String {
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
            "<section><h2>{}{}</h2>{shown}<p>Open <b>{}</b></p><p>Token: <code>{}</code></p><ol><li>Open the address, and choose \
             <i>Submit a bot</i>.</li><li>Enter the token, a name for your bot, and its file: a source or a program.</li>\
             <li>The page says whether it plays, or what to mend. Hand in as often as you like until {}.</li></ol></section>",
            escaped(&student.name),
            escaped(&team),
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
