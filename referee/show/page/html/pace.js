// The pace of a game that plays by itself: about a minute for any number of turns, slower around its highlights.

/** Seconds that a whole game takes, and maximum seconds for a turn of a short one. */
const WHOLE = 60;
const TURN = 1;

/** Seconds that a turn takes around a highlight, at least, and the number of turns on either side that are slow. */
const SLOW = 0.5;
const AROUND = 2;

class Pace {
  /** `highlights` are turns. */
  constructor(turns, highlights) {
    const whole = Math.min(WHOLE, TURN * turns);
    const isNear = new Set(highlights.flatMap((turn) => Array.from({ length: 2 * AROUND + 1 }, (_, at) => turn - AROUND + at)));
    const near = [...isNear].filter((turn) => turn >= 0 && turn < turns).sort((one, other) => one - other);
    // The slow turns take at most half of the time.
    const equal = whole / Math.max(1, turns);
    const wanted = Math.min(Math.max(SLOW, 1.5 * equal), whole / 2 / Math.max(1, near.length));
    const slow = near.length < turns ? Math.max(equal, wanted) : equal;
    const fast = near.length < turns ? (whole - slow * near.length) / (turns - near.length) : equal;
    /** Parts of equal speed: the turn behind the last one, and turns a second. */
    this.parts = [];
    let turn = 0;
    const add = (end, seconds) => {
      if (end > turn) this.parts.push({ end, speed: 1 / seconds });
      turn = Math.max(turn, end);
    };
    for (const at of near) {
      add(at, fast);
      add(at + 1, slow);
    }
    add(turns, fast);
  }

  part(time) {
    return this.parts.find(({ end }) => time < end) ?? this.parts.at(-1);
  }

  /** Turns a second at a time. */
  speed(time) {
    return this.part(time)?.speed ?? 1;
  }

  /** Returns the time that is reached after some seconds. */
  after(time, seconds) {
    for (const { end, speed } of this.parts) {
      if (time >= end) continue;
      const need = (end - time) / speed;
      if (need > seconds) return time + seconds * speed;
      seconds -= need;
      time = end;
    }
    return time;
  }
}
