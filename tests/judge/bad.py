#!/usr/bin/env python3
"""A judge of a small game that misbehaves. The next line names the misbehaviour."""
KIND = "good"
import os, random, signal, sys, time

# Two seats answer a number from 0 to 9, three times. The greater sum wins.


def say(*words):
    print(*words, flush=True)


def describe():
    lines = {
        "game": "game sums 1",
        "about": "about the greater sum wins",
        "seats": "seats 2 2",
        "turns": "turns 3",
        "patience": "patience 300" if "silent" in KIND or "half" in KIND else "patience 60000",
        "parameter": "parameter bonus 0 0 9 added to every answer",
    }
    changes = {
        "no_game": ("game", None),
        "no_seats": ("seats", None),
        "no_turns": ("turns", None),
        "name_great": ("game", "game Sums 1"),
        "name_long": ("game", "game " + "s" * 21 + " 1"),
        "version_none": ("game", "game sums"),
        "version_zero": ("game", "game sums 0"),
        "seats_none": ("seats", "seats 0 2"),
        "seats_many": ("seats", "seats 2 65"),
        "seats_reversed": ("seats", "seats 3 2"),
        "seats_words": ("seats", "seats two two"),
        "turns_huge": ("turns", "turns 99999999999999999999"),
        "parameter_taken": ("parameter", "parameter turn_ms 1 1 9 mine"),
        "parameter_default": ("parameter", "parameter bonus 10 0 9 too much"),
        "parameter_twice": ("parameter", "parameter bonus 0 0 9 one\nparameter bonus 1 0 9 again"),
        "game_twice": ("game", "game sums 1\ngame sums 2"),
        "seats_twice": ("seats", "seats 2 2\nseats 2 3"),
        "together_ahead": ("turns", "turns 3\ntogether\nahead"),
        "parameter_short": ("parameter", "parameter bonus 1"),
        "patience_none": ("patience", "patience 0"),
        "unknown_line": ("about", "hello world"),
        "more_behind": ("turns", "turns 3 4"),
    }
    if KIND == "together_silent":
        lines["together"] = "together"
    if KIND.startswith("ahead"):
        lines["ahead"] = "ahead"
    if KIND in changes:
        lines[changes[KIND][0]] = changes[KIND][1]
    if KIND == "describe_exit":
        sys.exit(3)
    if KIND == "describe_crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if KIND == "describe_flood":
        while True:
            print("parameter")
    if KIND == "describe_bytes":
        sys.stdout.buffer.write(b"about \xff\xfe\n")
        sys.stdout.flush()
    for line in lines.values():
        if line is not None:
            print(line)
    if KIND != "describe_silent_end":
        say("end")
    else:
        sys.stdout.flush()


def show():
    if turn < 3 or KIND == "never_over":
        seats = {
            "ask_absent": [0, 2], "ask_negative": [-1, 0], "ask_twice": [0, 0], "ask_nobody": [], "ask_huge": [0, 10**30],
        }.get(KIND, [0, 1])
        for seat in seats:
            print("ask", seat, turn, "x" if KIND == "ask_words" else seat, *sums)
        if KIND == "shared_words":
            print("shared 1 x")
        if KIND == "shared_much":
            print(("shared" + " 1" * 490_000 + "\n") * 9, end="")
        if KIND == "ask_and_over":
            print("over early\nscores 1 2")
        if KIND == "scores_early":
            print("scores 1 2")
    else:
        print("over", {"reason_great": "Turns", "reason_none": ""}.get(KIND, "turns"))
        scores = {
            "scores_none": None, "scores_short": [1], "scores_long": [1, 2, 3], "scores_words": ["a", "b"],
            "scores_huge": [1, 2**64], "scores_great": [1, 10**12 + 1], "scores_float": [0.5, 1],
        }.get(KIND, sums)
        if scores is not None:
            print("scores", *scores)
        shares = {
            "shares_over": "shares 5 6 0", "shares_negative": "shares 5 -1 0", "shares_short": "shares 5 1",
            "scores_twice": "scores 1 2", "over_twice": "over again", "shares_twice": "shares 1 1 0\nshares 1 0 1",
            "shares_zero": "shares 0 0 0", "shares_words": "shares all of it",
        }.get(KIND)
        if shares:
            print(shares)
    say("end")


def before(at):
    """Misbehaves at a place: start, turn, check."""
    if KIND == at + "_exit":
        print("oh no", file=sys.stderr, flush=True)
        sys.exit(1)
    if KIND == at + "_crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if KIND == at + "_raise":
        raise ValueError("of the judge's own")
    if KIND == at + "_silent":
        time.sleep(3600)
    if KIND == at + "_asleep":  # within its patience
        time.sleep(3600)
    if KIND == at + "_half":
        sys.stdout.write("ask 0 1")
        sys.stdout.flush()
        time.sleep(3600)
    if KIND == at + "_closed":
        os.close(1)
        time.sleep(3600)
    if KIND == at + "_flood":
        while True:
            print("say 0 again and again")
    if KIND == at + "_unknown":
        say("hello")
    if KIND == at + "_long":
        say("say 0 " + "x" * (1 << 20))
    if KIND == at + "_empty":
        say("")
    if KIND == at + "_bytes":
        sys.stdout.buffer.write(b"\xff\xfe\n")
        sys.stdout.flush()


def play():
    """Plays a turn."""
    global answers, turn
    before("turn")
    effect = {"effect_seat": "effect sum 2 1", "effect_name": "effect Sum! 0 1", "effect_words": "effect sum 0 one",
              "say_seat": "say 7 hello", "draw_none": "draw x 0 0 1 2", "draw_more": "draw x 0 3 1 2",
              "pick_more": "pick x 0 3 1 2", "draw_empty": "draw x 0 1", "draw_words": "draw x 0 1 a b"}.get(KIND)
    if effect:
        say(effect)
    if KIND == "own_dice":
        print("effect luck -1", random.randrange(10**9))
    if KIND == "own_clock":
        print("effect time -1", time.time_ns())
    if KIND == "own_number":
        print("effect process -1", id(object()) ^ os.getpid(), random.getrandbits(40))
    if KIND == "own_hash":
        print("effect hash -1", *[hash(word) for word in ("ann", "ben", "cat")])
    for seat in range(2):
        sums[seat] += answers.get(seat, 0)
    answers, turn = {}, turn + 1
    show()


answers, turn, sums, malformed, doomed = {}, 0, [0, 0], False, False
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        describe()
    elif word == "start":
        before("start")
        if KIND == "start_effect":
            print("effect early 0 1")
        if KIND == "start_draws":
            say("draw place 0 300", *range(300))
            input()
        show()
        if KIND == "start_deluge":
            say("fine\n" * 700_000)
    elif word == "check":
        before("check")
        if KIND == "together_silent" and rest[0] == "1":
            continue
        good = len(rest) == 2 and 0 <= int(rest[1]) <= 9
        verdict = "fine" if good else "malformed not a number from 0 to 9"
        say({"check_word": "well", "check_none": "illegal 0 0 nothing", "check_more": "illegal 2 1 too much",
             "check_short": "illegal"}.get(KIND, verdict))
        if KIND == "check_two":
            say("fine")
        if KIND == "ahead_seven" and rest[1:] == ["7"]:
            doomed = True
        answers[int(rest[0])] = int(rest[1]) if good else 0
        malformed = malformed or not good
    elif word == "sample":
        if KIND == "sample_bad":
            say("answer 77")
            continue
        say("draw sample 0 1 0 1 2 3 4 5 6 7 8 9")
        say("answer", input().split()[1])
    elif word == "answer":
        answers[int(rest[0])] = int(rest[1])
    elif word == "fault":
        answers[int(rest[0])] = 0
        if KIND == "fault_dies":
            sys.exit(1)
    elif word == "go":
        play()
    elif word == "ahead":
        before("ahead")
        if doomed:
            sys.exit(1)
        if KIND == "ahead_other":
            sums[0] += 1
        if not malformed or KIND == "ahead_always":
            play()
        malformed = False
    elif word == "facts":
        say("fact score", 5 if KIND == "facts_seat" else 0, -1, sums[0])
        say("end")
        if KIND == "facts_deed":
            sums[0] += 1
