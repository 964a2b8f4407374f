#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { WebSocket, WebSocketServer } from "ws";

// Playwright starts this as its Firefox. It runs Firefox ESR and passes WebDriver BiDi commands through, except those
// that Playwright sends to every page and this version of Firefox doesn't know.
const UNKNOWN_COMMANDS = ["emulation.setMediaFeaturesOverride"];
const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const LISTENING = /^WebDriver BiDi listening on (ws:\/\/.*)$/;

const firefox = spawn(FIREFOX, process.argv.slice(2), { stdio: ["ignore", "inherit", "pipe"] });
firefox.once("error", (error) => {
  console.error(`Firefox cannot run: apt-get install firefox-esr (${error.message})`);
  process.exit(1);
});
firefox.once("exit", (code) => process.exit(code ?? 1));
process.once("SIGTERM", () => firefox.kill());

for await (const line of createInterface({ input: firefox.stderr })) {
  const url = LISTENING.exec(line)?.[1];
  console.error(url ? `WebDriver BiDi listening on ws://127.0.0.1:${await relayTo(url)}` : line);
}

/**
 * @param {string} url of Firefox
 * @returns {Promise<number>} the port where its commands are taken
 */
async function relayTo(url) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (client, { url: path }) => {
    const upstream = new WebSocket(url + path);
    const opened = new Promise((resolve) => upstream.once("open", resolve));
    client.on("message", async (data) => {
      await opened;
      const { id, method } = JSON.parse(String(data));
      if (UNKNOWN_COMMANDS.includes(method))
        client.send(JSON.stringify({ id, type: "success", result: {} }));
      else upstream.send(String(data));
    });
    upstream.on("message", (data) => client.send(String(data)));
    client.on("close", () => upstream.close());
    upstream.on("close", () => client.close());
    upstream.on("error", () => client.close());
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
