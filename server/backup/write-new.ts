import { rm, writeFile } from "node:fs/promises";

/** Replaces a file that only the service user can read. */
export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
}
