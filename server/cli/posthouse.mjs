#!/usr/bin/env node
// Runs the `posthouse` command on the project's own Node.js, whichever version started this.
import { runPosthouse } from "./bootstrap/run-posthouse.mjs";

const args = process.argv.slice(2);
const wantsHelp = args.includes("--help") || args.includes("-h");

// On a new machine nothing is installed yet, so the bootstrap does that first.
if (args[0] === "install" && !wantsHelp) await import("./bootstrap.mjs");
else process.exitCode = await runPosthouse(args);
