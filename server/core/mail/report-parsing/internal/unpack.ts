import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";

/** What all files of one attachment may have together once unpacked. */
const UNPACKED_BYTES_MAX = 50 * 1024 * 1024;
/** Reports shrink to a tenth or a twentieth. */
const RATIO_MAX = 200;
const ENTRIES_MAX = 5;

/** An attachment that is not worth the trouble of unpacking it. */
export class UnpackError extends Error {
  override name = "UnpackError";
}

/**
 * The files in a gzip or zip file, or the file itself when it is neither: told by their first bytes,
 * since reporters differ in what they call them. One level only, and bounded, whatever sizes it claims.
 *
 * @throws UnpackError
 */
export async function unpack(file: Buffer): Promise<Buffer[]> {
  const files = await open(file, Math.min(UNPACKED_BYTES_MAX, file.length * RATIO_MAX));
  if (files.some((inner) => inner !== file && (isGzip(inner) || isZip(inner))))
    throw new UnpackError("an archive is within the archive");
  return files;
}

async function open(file: Buffer, bytesMax: number): Promise<Buffer[]> {
  try {
    if (isGzip(file)) return [await promisify(gunzip)(file, { maxOutputLength: bytesMax })];
    if (isZip(file)) return await unzip(file, bytesMax);
  } catch (error) {
    if (error instanceof UnpackError) throw error;
    throw new UnpackError("the archive is damaged or too large", { cause: error });
  }
  return [file];
}

const isGzip = (file: Buffer) => file[0] === 0x1f && file[1] === 0x8b;
const isZip = (file: Buffer) => file.subarray(0, 4).toString("latin1") === "PK\x03\x04";

async function unzip(file: Buffer, bytesMax: number): Promise<Buffer[]> {
  const zip = await fromBufferPromise(file);
  if (zip.entryCount > ENTRIES_MAX) throw new UnpackError("the archive has too many files");
  const files: Buffer[] = [];
  let room = bytesMax;
  for await (const entry of zip.eachEntry()) {
    const inner = await readEntry(zip, entry, room);
    room -= inner.length;
    files.push(inner);
  }
  return files;
}

/** The bytes count, not what the archive says of them. */
async function readEntry(zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    length += (chunk as Buffer).length;
    if (length > bytesMax) throw new UnpackError("the archive is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
