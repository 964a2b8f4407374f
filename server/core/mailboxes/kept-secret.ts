import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** A random secret kept in `file`, readable by the appliance's user only, and made at first use. */
export async function keptSecret(file: string): Promise<string> {
  return (await readSecret(file)) ?? (await makeSecret(file));
}

async function readSecret(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw error;
  }
}

/** Of several processes that start at once the first wins: a link is made only where nothing is. */
async function makeSecret(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const made = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(made, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  try {
    await link(made, file);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  } finally {
    await rm(made);
  }
  return (await readSecret(file))!;
}

const isErrno = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;
