'use strict';
// Follows the results of a hill: when there are new ones, what the page shows is fetched again.
const events = new EventSource(document.currentScript.dataset.events);
let seen = null, waiting = false;

async function renew() {
  waiting = false;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const here = document.getElementById('main'), there = page.getElementById('main');
  // Nothing is taken from under a hand: a field that is written in stays.
  if (!here || !there || here.contains(document.activeElement)) return;
  here.replaceWith(document.adoptNode(there));
}

events.addEventListener('results', event => {
  const { number } = JSON.parse(event.data);
  if (seen !== null && number !== seen && !waiting) {
    waiting = true;
    // Spectators do not come all at once.
    setTimeout(renew, 200 + Math.random() * 1500);
  }
  seen = number;
});
