import { readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE_FILE = join(import.meta.dirname, "../../package.json");

let version: string | undefined;

/** The version that this process runs, such as `0.1.0`: read once, since an upgrade replaces the file. */
export function softwareVersion(): string {
  version ??= (JSON.parse(readFileSync(PACKAGE_FILE, "utf8")) as { version: string }).version;
  return version;
}
