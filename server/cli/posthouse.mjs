#!/usr/bin/env node
// The `posthouse` command, on the Node.js that the project brings, whatever started it.
import { runPosthouse } from "./bootstrap/run-posthouse.mjs";

process.exitCode = await runPosthouse(process.argv.slice(2));
