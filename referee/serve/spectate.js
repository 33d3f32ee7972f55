// Follows a game while it is played: the page of its replay gets more turns. It is part of that page's script.

/** Maximum number of looks for the replay of a game that is over, a second apart. */
const LOOKS_MAX = 60;

/** Shows a longer tape. A viewer of the last turn goes on to the new one. */
function renew(app, lines) {
  const { tape } = app;
  const wasLast = app.turn >= lastOf(tape);
  app.tape = new Tape([...lines]);
  app.board = new GameBoard(app.tape);
  app.camera = new Camera(app.tape, app.board);
  app.timeline = new Timeline(app.tape, one('curves'));
  app.timeline.seen = app.tape.turns; // What was played is no secret.
  app.at = app.shown = null;
  one('turn').max = app.tape.turns;
  one('timeline').setAttribute('aria-valuemax', app.tape.turns);
  tellLive(app);
  app.paint();
  if (wasLast && !app.playing) app.go(lastOf(app.tape), false);
}

/** The last turn that is complete. */
function lastOf(tape) {
  return Math.max(0, tape.turns - 1);
}

function tellLive({ tape }) {
  one('of').textContent = `of ${tape.turns}`;
  one('about').textContent = `${tape.game} · being played, turn ${tape.turns}`;
}

function spectate(app) {
  const turns = app.tape.lines.slice(0, -1);
  tellLive(app);
  app.go(lastOf(app.tape), false);
  const game = location.pathname.split('/');
  let events = null, again = 0, hidden = false;
  const listen = () => {
    clearTimeout(again);
    if (events || document.hidden) return;
    events = new EventSource(`/${game[1]}/api/v1/games/${game[3]}/turns?from=${turns.length}`);
    events.addEventListener('turns', ({ data }) => {
      const { from, lines, behind } = JSON.parse(data);
      if (lines.length === 0) return;
      turns.splice(from, Infinity, ...lines);
      renew(app, [...turns, ...behind]);
    });
    events.addEventListener('anew', () => location.reload());
    events.addEventListener('over', over);
    // A browser goes on after a broken connection, but not after an answer such as 503: the server is full.
    events.addEventListener('error', () => {
      if (events?.readyState !== EventSource.CLOSED) return;
      events = null;
      again = setTimeout(listen, 10000 + Math.random() * 10000);
    });
  };
  const over = async () => {
    events.close();
    const turn = app.turn + (app.turn >= lastOf(app.tape) ? 1 : 0);
    // The result is entered a moment after the last turn.
    for (let look = 0; look < LOOKS_MAX; look++) {
      await new Promise((go) => setTimeout(go, 1000));
      if ((await fetch('replay', { method: 'HEAD' }).catch(() => null))?.ok) return location.replace(app.wall ? 'replay#wall' : `replay#turn=${turn}`);
    }
    location.reload();
  };
  // Nobody sees a page that is hidden: its connection is for others.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && events && events.readyState !== EventSource.CLOSED) {
      events.close();
      hidden = true;
    } else if (!document.hidden && hidden) {
      // The game can have been void and begun again meanwhile.
      location.reload();
    }
  });
  listen();
}

const waiting = setInterval(() => {
  if (!window.replay) return;
  clearInterval(waiting);
  spectate(window.replay);
}, 20);
