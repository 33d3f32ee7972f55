'use strict';
// Follows the results of a hill: when there are new ones, the content of the page is fetched again.
const events = new EventSource(document.currentScript.dataset.events);
let seen = null, waiting = false;

async function renew() {
  waiting = false;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const here = document.getElementById('main'), there = page.getElementById('main');
  // The page is not replaced while the visitor is in one of its fields.
  if (!here || !there || here.contains(document.activeElement)) return;
  here.replaceWith(document.adoptNode(there));
}

events.addEventListener('results', event => {
  const { number } = JSON.parse(event.data);
  if (seen !== null && number !== seen && !waiting) {
    waiting = true;
    // A random delay, so that not all spectators ask at once.
    setTimeout(renew, 200 + Math.random() * 1500);
  }
  seen = number;
});
