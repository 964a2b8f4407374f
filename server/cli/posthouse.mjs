#!/usr/bin/env node
// Runs the `posthouse` command on the project's own Node.js, whichever version started this.
import { runPosthouse } from "./bootstrap/run-posthouse.mjs";

process.exitCode = await runPosthouse(process.argv.slice(2));
