//! The times in a log must agree with its verdicts.

use std::fs;

use referee_files::audit::audit_log;
use referee_record::Digest;

/// Audits the log of a game of comFoosball with other answers in its first turn, given as rows, and a
/// matching digest.
fn audit_with(verdicts: [&str; 2]) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let digest = Digest::of(b"bot");
    let head = format!(
        "row,turn,seat,name,time_us,wall_us,cpu_us,values,detail\nformat,,,referee-log,,,,5,whole_us\ngame,,,foosball,,,,1,x\n\
         set,,,variant,,,,,text\nset,,,bank_ms,,,,60000,\nset,,,first_ms,,,,12,\nseed,,,,,,,,0x0000000000000001\n\
         seat,,0,one,,,,1,{digest}\nseat,,1,two,,,,1,{digest}\n"
    );
    let answers = [0, 1].map(|seat| format!("answer,0,{seat},{}\n", verdicts[seat])).concat();
    let is_used_up = verdicts[0].starts_with("late") || verdicts[0].starts_with("deaf");
    let end = if is_used_up { "out_of_time" } else { "forfeit" };
    let scores = "score,,0,place,,,,0,2\nscore,,1,place,,,,0,1\n";
    let body = format!("{head}{answers}{scores}end,1,,{end},,,,,\n");
    let log = folder.path().join("log.csv");
    fs::write(&log, format!("{body}digest,,,sha256,,,,,{}\n", Digest::of(body.as_bytes()))).expect("a log");
    audit_log(&log).map(drop).map_err(|error| error.to_string())
}

#[test]
fn times_that_do_not_fit_their_verdicts_are_found() {
    let in_time = "malformed,12000,,,,an empty line";
    assert_eq!(audit_with(["late,12001,,,,", in_time]), Ok(()));
    assert_eq!(audit_with(["exited,90000,,,,status 1", in_time]), Ok(()));
    assert_eq!(audit_with(["deaf,12001,,,,", in_time]), Ok(()), "its question was on the way until then");
    assert_eq!(audit_with(["deaf,0,,,,", in_time]), Ok(()), "it was asked nothing");
    let cases = [
        (["deaf,12000,,,,", in_time], "line 10: deaf after 12000 us, within its limit of 12000 us"),
        (["deaf,0,12001,,,", in_time], "line 10: deaf after 0 us, within its limit of 12000 us"),
        (["late,12000,,,,", in_time], "line 10: late after 12000 us, within its limit of 12000 us"),
        (["late,11999,,,,", in_time], "line 10: late after 11999 us"),
        (
            ["late,12001,,,,", "malformed,12001,,,,an empty line"],
            "line 11: not late after 12001 us, beyond its limit",
        ),
        (["late,12001,12000,,,", in_time], "line 10: charged 12001 us, more than the 12000 us"),
        (["extra,1,,,,", in_time], "line 10: extra is a verdict for superfluous lines"),
    ];
    for (verdicts, complaint) in cases {
        let error = audit_with(verdicts).expect_err(complaint);
        assert!(error.contains(complaint), "{error}");
    }
}
