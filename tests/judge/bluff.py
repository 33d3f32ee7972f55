#!/usr/bin/env python3
"""Bluff: a small poker in turn, with hidden cards. Two to four seats.

In each hand, every seat pays 1 chip and gets a hidden card. There are two of each rank from 1 to the number of seats + 2.
Two rounds of bets follow, and between them one card is opened. In turn, a seat folds (0), checks or calls (1), or
raises (2) by 2 chips in the first round and 4 in the second. There are at most two raises a round. In the end, a card
of the open rank wins, or else the highest; those with equal cards share. Scores are the chips that a seat has won.

Questions: hand, hands, round (0 or 1), own seat, seats, own card, open card (0: none yet), chips to call, raises left;
then of each seat its chips won so far, its bets in this hand, and whether it has folded.
A late or malformed answer checks if that is free, or else folds. A raise that is not allowed is a call.
"""
import sys

DESCRIPTION = """game bluff 1
about Bluff: a small poker in turn, with hidden cards
seats 2 4
turns 24000
time 500 5000
hidden card
parameter hands 20 1 1000 number of hands
end"""
RAISES = [2, 4]


def draw(name, at, candidates):
    print("draw", name, at, 1, *candidates, flush=True)
    return int(input().split()[1])


def deal():
    """Begins a hand: the seat after the dealer is the first."""
    global deck, cards, bets, folded, table_card
    deck = [rank for rank in range(1, seats + 3) for _ in range(2)]
    bets, folded, table_card, cards = [1] * seats, [False] * seats, 0, []
    for seat in range(seats):
        cards.append(draw("card", seat, deck))
        deck.remove(cards[-1])
    begin_round(0)


def begin_round(number):
    global stage, raises, due
    stage, raises = number, 2
    order = [(hand + 1 + place) % seats for place in range(seats)]
    due = [seat for seat in order if not folded[seat]]  # the seats that have to act, in order


def to_call(seat):
    return max(bets) - bets[seat]


def check(seat, answer):
    if len(answer) != 1:
        return f"malformed {len(answer)} integers instead of 1"
    if answer[0] not in (0, 1, 2):
        return f"illegal 1 1 {answer[0]} is not 0, 1 or 2"
    return "illegal 1 1 no raise is left" if answer[0] == 2 and not raises else "fine"


def act(seat, answer):
    global raises, due
    if answer is None or answer not in (0, 1, 2):
        answer = 0 if to_call(seat) else 1
    due.remove(seat)
    if answer == 0:
        folded[seat] = True
        print("say", seat, f"seat {seat} folds")
    elif answer == 2 and raises:
        raises -= 1
        bets[seat] = max(bets) + RAISES[stage]
        order = [(seat + 1 + place) % seats for place in range(seats - 1)]
        due = [other for other in order if not folded[other]]
        print("say", seat, f"seat {seat} raises to {bets[seat]}")
    else:
        print("say", seat, f"seat {seat} {'calls' if to_call(seat) else 'checks'}")
        bets[seat] = max(bets)


def settle():
    global table_card, hand
    playing = [seat for seat in range(seats) if not folded[seat]]
    if len(playing) > 1 and due:
        return
    if len(playing) > 1 and stage == 0:
        table_card = draw("open", hand, deck)
        deck.remove(table_card)
        return begin_round(1)
    best = max(strength(seat) for seat in playing)
    winners = [seat for seat in playing if strength(seat) == best]
    for seat in range(seats):
        chips[seat] -= bets[seat]
    for place, seat in enumerate(winners):
        won = sum(bets) // len(winners) + (place < sum(bets) % len(winners))
        chips[seat] += won
        print("effect wins", seat, won)
        print("say", seat, f"seat {seat} wins {won} chips with a {cards[seat]}")
    hand += 1
    if hand < hands:
        deal()


def strength(seat):
    return (cards[seat] == table_card, cards[seat])


def show():
    if hand < hands:
        seat = due[0]
        own = [hand, hands, stage, seat, seats, cards[seat], table_card, to_call(seat), raises]
        print("ask", seat, *own, *chips, *bets, *map(int, folded))
    else:
        print("over hands\nscores", *chips)
    print("end")


def facts():
    for seat in range(seats):
        print("fact score", seat, -1, chips[seat])
        if hand < hands:
            print(f"fact card {seat} -1 {cards[seat]}\nfact bet {seat} -1 {bets[seat]}")
            print(f"fact folded {seat} -1 {int(folded[seat])}")
    print(f"fact hand -1 -1 {hand}\nfact open -1 -1 {table_card}\nend")


for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print(DESCRIPTION)
    elif word == "start":
        seats, hands = map(int, rest)
        hand, chips = 0, [0] * seats
        deal()
        show()
    elif word == "check":
        print(check(int(rest[0]), [int(number) for number in rest[1:]]))
    elif word == "sample":
        print("answer", draw("sample", 0, [0, 1, 2] if raises else [0, 1]))
    elif word == "answer":
        act(int(rest[0]), int(rest[1]))
    elif word == "fault":
        act(int(rest[0]), None)
    elif word == "go":
        settle()
        show()
    elif word == "facts":
        facts()
    sys.stdout.flush()
