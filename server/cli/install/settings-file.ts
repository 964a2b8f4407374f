import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";

import { CommandError } from "#server/cli/failures.ts";

export type ServiceSettings = Record<string, string>;

const HEADER = `# Settings of the Posthouse service. docs/settings.md lists them. To apply a change: systemctl restart posthouse
`;

/** The standard ports, which other mail servers and mail apps expect. */
const STANDARD_PORTS: ServiceSettings = {
  PORT: "443",
  HTTP_PORT: "80",
  SMTP_PORT: "25",
  SUBMISSION_PORT: "587",
  SUBMISSIONS_PORT: "465",
  IMAP_PORT: "143",
  IMAPS_PORT: "993",
  POP3_PORT: "110",
  POP3S_PORT: "995",
  SIEVE_PORT: "4190",
};

/** Reads a settings file; empty if there is none. */
export function readSettingsFile(file: string): ServiceSettings {
  try {
    return parseEnv(readFileSync(file, "utf8")) as ServiceSettings;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}

/** The settings of an installation: those in the file, changed to `chosen`, with defaults for the rest. */
export const serviceSettings = (
  known: ServiceSettings,
  { chosen, dataFolder }: { chosen: ServiceSettings; dataFolder: string },
): ServiceSettings => ({ POSTHOUSE_DATA: dataFolder, ...STANDARD_PORTS, ...known, ...chosen });

/**
 * Sets variables in a settings file and keeps everything else in it, such as comments. Only root and the service's
 * group can read the file.
 *
 * @returns whether the file changed
 */
export function writeSettingsFile(file: string, settings: ServiceSettings, gid: number): boolean {
  for (const [name, value] of Object.entries(settings)) requireOneLine(name, value);
  const before = readText(file);
  const known = readSettingsFile(file);
  const changed = Object.entries(settings).filter(([name, value]) => known[name] !== value);
  if (before !== null && changed.length === 0) return false;
  const text = changed.reduce((all, [name, value]) => setLine(all, name, value), before ?? HEADER);
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o640, flag: "wx" });
  if (process.getuid!() === 0) chownSync(draft, 0, gid);
  renameSync(draft, file);
  return true;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function setLine(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const existing = new RegExp(`^${name}=.*$`, "m");
  if (existing.test(text)) return text.replace(existing, () => line);
  return `${text}${text.endsWith("\n") ? "" : "\n"}${line}\n`;
}

/** systemd and Node.js read quotes, `#` and `$` differently, so a value must not need quoting. */
function requireOneLine(name: string, value: string): void {
  if (/[\s"'`\\#$]/.test(value))
    throw new CommandError(
      `${name} can't contain spaces, quotes, backslashes, # or $. In a URL, encode them: %23 for #, %24 for $`,
    );
}
