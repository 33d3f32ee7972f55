'use strict';
// Shows times as the visitor's clock has them, and how long it is until a deadline. Without it, pages have UTC.
const wording = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Says how long a number of minutes is, in its two largest units. */
function lasting(minutes) {
  const units = [[1440, 'd'], [60, 'h'], [1, 'min']];
  const first = units.findIndex(([size]) => minutes >= size);
  if (first < 0) return 'less than a minute';
  let left = minutes;
  return units.slice(first, first + 2).map(([size, unit]) => {
    const part = Math.floor(left / size);
    left -= part * size;
    return part > 0 ? `${part} ${unit}` : '';
  }).filter(Boolean).join(' ');
}

function show() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    let text = wording.format(date);
    if (time.closest('.until')) {
      const minutes = Math.ceil((date - Date.now()) / 60000);
      text += minutes > 0 ? ` (in ${lasting(minutes)})` : ' (that has passed)';
    }
    if (time.textContent !== text) time.textContent = text;
    if (!time.title) time.title = `${time.dateTime.replace('T', ' ').replace('Z', '')} UTC`;
  }
}

show();
setInterval(show, 30000);
// The content of a page was renewed.
document.addEventListener('renewed', show);
