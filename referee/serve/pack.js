'use strict';
// Packs several files, or a folder, as one zip archive: a bot can have more than one file.

const CRCS = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? 0xedb88320 ^ (number >>> 1) : number >>> 1;
  return number;
});

function checksum(bytes) {
  let sum = -1;
  for (const byte of bytes) sum = CRCS[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** Writes numbers of 2 or 4 bytes, the lowest byte first: pairs of a length and a number. */
function record(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [length]) => sum + length, 0)));
  let at = 0;
  for (const [length, number] of fields) {
    if (length === 2) view.setUint16(at, number, true);
    else view.setUint32(at, number, true);
    at += length;
  }
  return view;
}

/** Returns the parts of a zip archive in which nothing is compressed. */
function archive(files) {
  const [parts, list] = [[], []];
  let [at, listed] = [0, 0];
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(path);
    // Version 2.0, a name in UTF-8, stored, the first day that the format knows, checksum, both lengths.
    const about = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, checksum(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0]];
    parts.push(record([4, 0x04034b50], ...about), name, bytes);
    list.push(record([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), name);
    at += 30 + name.length + bytes.length;
    listed += 46 + name.length;
  }
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, listed], [4, at], [2, 0]);
  return [...parts, ...list, end];
}

/** Puts an archive of the chosen files in the place of the program. */
async function pack(files, run) {
  const path = (file) => file.webkitRelativePath || file.name;
  // A virtual environment and a cache of a compiler mark their folder with a file. It is not that of all files.
  const marks = files.map((file) => /^(.*\/)(pyvenv\.cfg|CACHEDIR\.TAG)$/.exec(path(file))?.[1]).filter((root) => root);
  const made = marks.filter((root) => !files.every((file) => path(file).startsWith(root)));
  // Hidden files can have secrets. The rest is what a build leaves.
  const isLeft = (file) =>
    path(file).split('/').some((part) => part.startsWith('.') || part === '__pycache__') ||
    made.some((root) => path(file).startsWith(root));
  const sent = files.filter((file) => !isLeft(file));
  const bytes = sent.reduce((sum, { size }) => sum + size, 0);
  if (sent.length === 0) return 'There is no file to send.';
  const [filesMax, bytesMax] = [program.dataset.files, program.dataset.most].map(Number);
  if (sent.length > filesMax) return `These are ${sent.length} files, and at most ${filesMax} can be sent.`;
  if (bytes > bytesMax) return `These are ${Math.ceil(bytes / 2 ** 20)} MiB: too many.`;
  const read = async (file) => ({ path: path(file), bytes: new Uint8Array(await file.arrayBuffer()) });
  const all = await Promise.all(sent.map(read));
  if (run !== runs) return '';
  const name = `${sent[0].webkitRelativePath ? path(sent[0]).split('/')[0] : 'bot'}.zip`;
  const packed = new DataTransfer();
  packed.items.add(new File(archive(all), name, { type: 'application/zip' }));
  program.files = packed.files;
  const left = files.length - sent.length;
  return `${all.length} ${all.length === 1 ? 'file is' : 'files are'} sent as ${name}${left ? `. Left out, since hidden or built: ${left}` : ''}.`;
}

/** Takes what was chosen. A single file is sent as it is. */
async function choose(input) {
  const run = ++runs;
  const files = [...input.files];
  said.textContent = '';
  if (input === program && files.length < 2) {
    folder.value = '';
    button.disabled = false;
    return;
  }
  // Nothing else is sent meanwhile. The same folder can be chosen again.
  program.value = folder.value = '';
  button.disabled = true;
  const words = await pack(files, run).catch((error) => `The files cannot be read: ${error.message}`);
  if (run !== runs) return;
  said.textContent = words;
  button.disabled = false;
}

const [program, folder, said] = ['program', 'folder', 'packed'].map((id) => document.getElementById(id));
const button = program.form.querySelector('button');
let runs = 0;
program.multiple = true;
folder.value = '';
folder.parentElement.hidden = false;
// A page to which the visitor goes back has no archive any more.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) program.value = folder.value = said.textContent = '';
});
for (const input of [program, folder]) input.addEventListener('change', () => choose(input));
