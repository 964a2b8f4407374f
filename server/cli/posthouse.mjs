#!/usr/bin/env node
// Runs the `posthouse` command on the project's own Node.js, whichever version started this.
import { isBuiltElsewhere } from "./bootstrap/next-build.mjs";
import { runPosthouse } from "./bootstrap/run-posthouse.mjs";

const args = process.argv.slice(2);
const wantsHelp = args.includes("--help") || args.includes("-h");

// In a new clone nothing is installed yet, so the bootstrap does that first. The image has everything.
const needsPrograms = args[0] === "install" || (args[0] === "upgrade" && !isBuiltElsewhere());
if (needsPrograms && !wantsHelp) await import("./bootstrap.mjs");
else process.exitCode = await runPosthouse(args);
