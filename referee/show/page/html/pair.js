'use strict';
// Two games side by side. If one goes to another turn, the other follows, up to its own end.

const frames = [...document.querySelectorAll('iframe')];
const together = document.getElementById('together');
let last = [0, 0];

function follow() {
  const games = frames.map((frame) => frame.contentWindow?.replay);
  if (games.every(Boolean)) {
    const moved = games.findIndex(({ time }, game) => time !== last[game]);
    if (moved >= 0 && together.checked) games[1 - moved].go(games[moved].time, false);
    last = games.map(({ time }) => time);
    document.documentElement.dataset.ready = 'yes';
  }
  requestAnimationFrame(follow);
}

follow();
