import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import { exitCodeOf } from "#server/processes/child-exit.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { CommandError } from "./command-error.ts";
import { ShownFailure } from "./shown-failure.ts";

/** A command of this program with its options, by the names that commander gives them. */
type Command = { name: string; options: Record<string, string | boolean | undefined> };

/**
 * Runs this program again as the service user, until it exits. The user may have no access to the current folder, so paths in
 * the options must be absolute.
 *
 * @param dataFolder that the command must reach
 * @param isQuiet whether to return the command's output instead of showing it
 * @throws ShownFailure if it fails; CommandError with the reason if it was quiet
 */
export async function runAsService(
  { name, options }: Command,
  {
    dataFolder,
    env,
    isQuiet = false,
  }: { dataFolder: string; env: Record<string, string>; isQuiet?: boolean },
): Promise<string> {
  const program = process.argv[1]!;
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [program, name, ...flags(options)] },
    { paths: [process.execPath, program, dataFolder], deathSignal: "TERM" },
  );
  const child = spawn(command, args, {
    cwd: "/",
    env: { ...process.env, ...env, POSTHOUSE_DATA: dataFolder },
    stdio: ["inherit", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  const [code, output, complaint] = await Promise.all([
    exitCodeOf(child),
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
  ]);
  if (code === 0) return output;
  if (!isQuiet) throw new ShownFailure();
  const reason = complaint
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^posthouse: /, "");
  throw new CommandError(reason || `exit code ${code}`);
}

const flags = (options: Command["options"]) =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === "string") return [flag, value];
    return value ? [flag] : [];
  });
