'use strict';
// Follows the results of a hill: when there are new ones, the content of the page is fetched again. The tabs of a
// browser share one stream of events: it allows six connections to a server, and a stream takes one of them.
const address = document.currentScript.dataset.events;
const news = new BroadcastChannel(`referee ${address}`);

/** Seconds after which the page is renewed in any case; `NaN`: only results renew it. */
const every = Number(document.currentScript.dataset.every ?? NaN);

/** Time that a game in a frame stays, in milliseconds: short games would follow each other faster than anybody looks. */
const STAYS = 60000;

/** The number of the results that this page shows, the latest that it has heard of, and whether it is being renewed. */
let seen = Number(document.currentScript.dataset.number), wanted = seen, renewing = false;

/** Hears, from this tab's stream or another one's, that the results have a number. */
function hear(number) {
  wanted = number;
  if (wanted !== seen && !renewing) later(200 + Math.random() * 1500);
}

/** Renews the page after a while. The time is random, so that not all spectators ask at once. */
function later(time) {
  renewing = true;
  setTimeout(renew, time);
}

async function renew() {
  // A page that nobody sees is renewed when it is seen.
  if (document.hidden) { renewing = false; return; }
  const number = wanted;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  const text = answer?.ok ? await answer.text().catch(() => null) : null;
  // The server is busy, or cannot be reached: the page is still wanted.
  if (text === null) return later(10000 + Math.random() * 20000);
  const page = new DOMParser().parseFromString(text, 'text/html');
  const here = document.getElementById('main'), there = page.getElementById('main');
  if (here && there) merge(here, there);
  for (const frame of document.querySelectorAll('iframe')) if (!framed.has(frame)) framed.set(frame, performance.now());
  document.dispatchEvent(new Event('renewed'));
  seen = number;
  renewing = false;
  if (wanted !== seen) later(200 + Math.random() * 1500);
}

/** When each frame got its game, and the timer that renews the page when one has had its time. */
const framed = new Map();
let waits = 0;

/** Tells whether a node holds what must stay: a form that somebody fills in. */
const isForm = (node) => node.nodeName === 'FORM';

/**
 * Makes a node equal to another one. What is equal already stays as it is: the selection, the focus, what is open and
 * where it is scrolled to.
 */
function merge(here, there) {
  if (here.isEqualNode(there) || (isForm(here) && here.contains(document.activeElement))) return;
  if (here.nodeName === 'IFRAME') {
    const now = performance.now(), rests = (framed.get(here) ?? 0) + STAYS - now;
    if (there.nodeName === 'IFRAME' && rests > 0) {
      waits ||= setTimeout(() => {
        waits = 0;
        if (!document.hidden && !renewing) later(0);
      }, rests);
      return;
    }
    framed.set(here, now);
  }
  if (here.nodeType !== there.nodeType || here.nodeName !== there.nodeName) return here.replaceWith(document.adoptNode(there));
  if (here.nodeType !== Node.ELEMENT_NODE) { here.nodeValue = there.nodeValue; return; }
  for (const { name } of [...here.attributes]) {
    if (!there.hasAttribute(name) && !(here.nodeName === 'DETAILS' && name === 'open')) here.removeAttribute(name);
  }
  for (const { name, value } of there.attributes) {
    if (here.getAttribute(name) !== value) here.setAttribute(name, value);
  }
  const old = [...here.childNodes], anew = [...there.childNodes];
  anew.forEach((node, at) => at < old.length ? merge(old[at], node) : here.append(document.adoptNode(node)));
  old.slice(anew.length).forEach((node) => node.remove());
}

/** Waits until this is the tab that listens, then listens for all. It stops when nobody sees it: another one takes over. */
let stop = null;
function listen() {
  if (stop || document.hidden) return;
  stop = new AbortController();
  const { signal } = stop;
  const held = () => new Promise((done) => {
    let events = null, again = 0;
    const end = () => { events?.close(); clearTimeout(again); done(); };
    const open = () => {
      events = new EventSource(address);
      events.addEventListener('results', ({ data }) => {
        const { number } = JSON.parse(data);
        news.postMessage(number);
        hear(number);
      });
      // A browser goes on after a broken connection, but not after an answer such as 503: the server is full.
      events.addEventListener('error', () => {
        if (events.readyState === EventSource.CLOSED) again = setTimeout(open, 30000 + Math.random() * 60000);
      });
    };
    if (signal.aborted) return done();
    signal.addEventListener('abort', end);
    open();
  });
  // Without locks (they need https, or this machine itself), each tab listens for itself.
  const listening = navigator.locks ? navigator.locks.request(news.name, { signal }, held) : held();
  listening.catch(() => {});
}

if (every) setInterval(() => document.hidden || renewing || later(0), 1000 * every);
news.addEventListener('message', ({ data }) => hear(data));
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    stop?.abort();
    stop = null;
  } else {
    listen();
    hear(wanted);
  }
});
listen();
