import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";

// For all files of an attachment together.
const UNPACKED_BYTES_MAX = 50 * 1024 * 1024;

// Reports compress to a tenth or a twentieth.
const RATIO_MAX = 200;

const ENTRIES_MAX = 5;

/** The attachment is damaged, nested or too large to unpack. */
export class UnpackError extends Error {
  override name = "UnpackError";
}

/**
 * Unpacks a gzip or zip file; returns any other file as is. Detects the type by the first bytes, since reporters use
 * various names. One level only, within limits that don't depend on the sizes that the file claims.
 *
 * @throws UnpackError
 */
export async function unpack(file: Buffer): Promise<Buffer[]> {
  const files = await open(file, Math.min(UNPACKED_BYTES_MAX, file.length * RATIO_MAX));
  if (files.some((inner) => inner !== file && (isGzip(inner) || isZip(inner))))
    throw new UnpackError("The archive contains an archive");
  return files;
}

async function open(file: Buffer, bytesMax: number): Promise<Buffer[]> {
  try {
    if (isGzip(file)) return [await promisify(gunzip)(file, { maxOutputLength: bytesMax })];
    if (isZip(file)) return await unzip(file, bytesMax);
  } catch (error) {
    if (error instanceof UnpackError) throw error;
    throw new UnpackError("The archive is damaged or too large", { cause: error });
  }
  return [file];
}

const isGzip = (file: Buffer) => file[0] === 0x1f && file[1] === 0x8b;
const isZip = (file: Buffer) => file.subarray(0, 4).toString("latin1") === "PK\x03\x04";

async function unzip(file: Buffer, bytesMax: number): Promise<Buffer[]> {
  const zip = await fromBufferPromise(file);
  if (zip.entryCount > ENTRIES_MAX) throw new UnpackError("The archive has too many files");
  const files: Buffer[] = [];
  let room = bytesMax;
  for await (const entry of zip.eachEntry()) {
    const inner = await readEntry(zip, entry, room);
    room -= inner.length;
    files.push(inner);
  }
  return files;
}

/** Counts the actual bytes, since the archive's own sizes can't be trusted. */
async function readEntry(zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    length += (chunk as Buffer).length;
    if (length > bytesMax) throw new UnpackError("The archive is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

const DAY_MS = 24 * 60 * 60 * 1000;

// Some reporters send one a month.
const PERIOD_MAX_MS = 32 * DAY_MS;

// Tolerates clock skew and wrong time zones.
const AHEAD_MAX_MS = 2 * DAY_MS;

const AGE_MAX_MS = 120 * DAY_MS;

/** ISO 8601 in UTC. */
export type ReportPeriod = { periodStart: string; periodEnd: string };

/**
 * The period of a report; null if it is implausible.
 *
 * @param start milliseconds since the epoch, like `end`
 */
export function readPeriod(start: number, end: number, now: Date): ReportPeriod | null {
  const isSane =
    start <= end &&
    end - start <= PERIOD_MAX_MS &&
    end <= now.getTime() + AHEAD_MAX_MS &&
    start >= now.getTime() - AGE_MAX_MS;
  if (!isSane) return null;
  return { periodStart: new Date(start).toISOString(), periodEnd: new Date(end).toISOString() };
}
