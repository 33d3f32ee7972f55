//! Accounts, and crowds: a page for an account among very many, and the time until a submission is taken while a
//! stranger and an entrant try their worst.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::rc::Rc;
use std::time::{Duration, Instant};

use referee_record::Digest;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::sleep;

use crate::hill::{Hill, Server};
use crate::load::{Client, answers, percentile};
use crate::{Options, Outcome};

/// Accounts of a hill.
const ACCOUNTS: usize = 100_000;

/// Pairs of measurements of a page, for an account and for nobody.
const PAIRS: usize = 15;

/// Submissions beside each attack.
const SUBMISSIONS: usize = 20;

/// Length of a record that is read slowly, in bytes.
const LONG: u64 = 64 << 20;

/// Makes a token for an account.
fn token(hill: &Hill, account: &str) -> Outcome<String> {
    let root = hill.place.join("hill");
    Ok(referee_contest::accounts::invite(&root, account, None, referee_contest::accounts::Role::Author)?
        .token)
}

/// Measures standings for an account among many, and for nobody.
pub(crate) async fn accounts(hill: &Hill, options: &Options) -> Outcome<()> {
    let token = token(hill, "alice")?;
    let file = hill.place.join("hill/tokens.csv");
    let mut rows = fs::read_to_string(&file)?;
    // The last column is the format of the row.
    let format = rows.trim_end().rsplit(',').next().ok_or("no row")?.to_owned();
    for number in 1..ACCOUNTS {
        let digest = Digest::of(number.to_string().as_bytes());
        writeln!(rows, "2026-01-01T00:00:00Z,invited,account{number},{},{format}", digest.as_str())?;
    }
    fs::write(&file, rows)?;
    let server = Server::start(hill)?;
    Client::connect(server.address, 0).await?.until_ready().await?;
    let mut ratios = Vec::new();
    for _ in 0..PAIRS {
        let mut each = Vec::new();
        for token in [None, Some(&*token)] {
            let asked = answers(&server, "/hill", token, options.seconds / 5.0);
            each.push(LocalSet::new().run_until(asked).await?.2);
        }
        ratios.push(each[1] / each[0]);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "\n{ACCOUNTS} accounts: the page of standings for one of them, as a multiple of that for nobody: median {:.2}, \
         from {:.2} to {:.2}",
        percentile(&ratios, 0.5),
        ratios[0],
        percentile(&ratios, 1.0)
    );
    server.stop()
}

/// The attacks: what a stranger asks for or an entrant sends, on connections that he leaves open or uses again and
/// again.
const ATTACKS: [(&str, bool, &str); 6] = [
    ("nothing", false, ""),
    ("slow readers of archives", false, "GET /hill/api/v1/records.tar HTTP/1.1\r\nHost: h\r\n\r\n"),
    ("slow readers of logs", false, "GET /hill/api/v1/games/GAME/log HTTP/1.1\r\nHost: h\r\n\r\n"),
    ("event streams", false, "GET /hill/api/v1/events HTTP/1.1\r\nHost: h\r\n\r\n"),
    (
        "programs that never arrive",
        false,
        "POST /hill/api/v1/bots?name=slowNUMBER HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer TOKEN\r\n\
         Content-Length: 99999\r\n\r\nx",
    ),
    ("starters, lists and rules", true, ""),
];

/// Measures the time until a submission is taken, beside each attack.
pub(crate) async fn crowd(hill: &Hill) -> Outcome<()> {
    let [mallory, alice] = [token(hill, "mallory")?, token(hill, "alice")?];
    let results = fs::read_to_string(hill.place.join("hill/results.csv"))?;
    let log = results.split(',').find(|cell| cell.starts_with("logs/")).ok_or("no log")?;
    File::options().write(true).open(hill.place.join("hill").join(log))?.set_len(LONG)?;
    println!("\n| beside | connections | submissions | taken | median ms | worst ms |");
    println!("| --- | --: | --: | --: | --: | --: |");
    for (number, (what, again, request)) in ATTACKS.into_iter().enumerate() {
        let words = ["--hourly", "100000", "--daily", "100000", "--waiting", "100000"];
        let server = Server::start_with(hill, &words)?;
        Client::connect(server.address, 0).await?.until_ready().await?;
        let request = request.replace("GAME", &hill.middle).replace("TOKEN", &mallory);
        let local = LocalSet::new();
        let (times, open, taken) = local.run_until(beside(&server, number, again, &request, &alice)).await?;
        println!(
            "| {what} | {open} | {SUBMISSIONS} | {taken} | {:.0} | {:.0} |",
            percentile(&times, 0.5),
            percentile(&times, 1.0)
        );
        server.stop()?;
    }
    Ok(())
}

/// Attacks, and submits beside it. Returns the times in milliseconds, sorted; the number of connections of the attack;
/// and the number of submissions that were taken.
async fn beside(
    server: &Server,
    number: usize,
    again: bool,
    request: &str,
    token: &str,
) -> Outcome<(Vec<f64>, usize, usize)> {
    let (mut open, mut busy): (Vec<Client>, Vec<JoinHandle<()>>) = (Vec::new(), Vec::new());
    // Two addresses, and fewer connections than one can have.
    for client in 0..400 {
        if !request.is_empty() {
            let mut left = Client::connect(server.address, 400 + client).await?;
            left.leave(&request.replace("NUMBER", &client.to_string())).await?;
            open.push(left);
        }
    }
    let address = server.address;
    let paths = Rc::new(["/hill/starters/python", "/hill/rules", "/hill/games?bot=random0&before=NUMBER"]);
    for client in 0..(if again { 32 } else { 0 }) {
        let paths = Rc::clone(&paths);
        busy.push(spawn_local(async move {
            let Ok(mut client) = Client::connect(address, client).await else { return };
            for number in 0_u32.. {
                let path = paths[number as usize % paths.len()].replace("NUMBER", &number.to_string());
                if client.get(&path).await.is_err() {
                    return;
                }
            }
        }));
    }
    sleep(Duration::from_millis(500)).await;
    let (mut times, mut taken) = (Vec::new(), 0);
    for submission in 0..SUBMISSIONS {
        let start = Instant::now();
        let mut client = Client::connect(server.address, 1200).await?;
        let name = format!("bot{number}x{submission}");
        let (status, _) = client.submit(&name, token, "#!/bin/sh\nexit 3\n").await?;
        taken += usize::from(status == 202);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    busy.iter().for_each(JoinHandle::abort);
    Ok((times, open.len() + busy.len(), taken))
}
