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
async function pack(files) {
  const path = (file) => file.webkitRelativePath || file.name;
  if (files.length === 0 || (files.length === 1 && !files[0].webkitRelativePath)) return;
  const read = async (file) => ({ path: path(file), bytes: new Uint8Array(await file.arrayBuffer()) });
  const all = await Promise.all(files.filter((file) => !path(file).includes('/.git/')).map(read));
  const name = files[0].webkitRelativePath ? path(files[0]).split('/')[0] : 'bot';
  const packed = new DataTransfer();
  packed.items.add(new File(archive(all), `${name}.zip`, { type: 'application/zip' }));
  program.files = packed.files;
  document.getElementById('packed').textContent = `${all.length} files are sent as ${name}.zip.`;
}

const [program, folder] = ['program', 'folder'].map((id) => document.getElementById(id));
program.multiple = true;
folder.parentElement.hidden = false;
for (const input of [program, folder]) input.addEventListener('change', () => pack([...input.files]));
