import { expect, test } from "vitest";

import { readConfig } from "#server/config.ts";

import { appleProfile } from "./apple-profile.ts";
import { clientSettings } from "./client-settings.ts";
import { mailAppRecords } from "./mail-app-records.ts";

const CONFIG = readConfig({
  POSTHOUSE_HOSTNAME: "mail.example.com",
  POSTHOUSE_URL: "https://post.example.com",
  IMAPS_PORT: "993",
  POP3S_PORT: "995",
  SUBMISSIONS_PORT: "465",
  SUBMISSION_PORT: "587",
  SIEVE_PORT: "4190",
});

test("prefers IMAP to POP3 and TLS to STARTTLS, and lists no port without TLS", () => {
  const lines = mailAppRecords("example.org", CONFIG).map(
    ({ name, type, value }) => `${name} ${type} ${value}`,
  );
  expect(lines).toEqual([
    "_imaps._tcp.example.org SRV 0 1 993 mail.example.com.",
    "_pop3s._tcp.example.org SRV 10 1 995 mail.example.com.",
    "_submissions._tcp.example.org SRV 0 1 465 mail.example.com.",
    "_submission._tcp.example.org SRV 10 1 587 mail.example.com.",
    "_sieve._tcp.example.org SRV 0 1 4190 mail.example.com.",
    "_imap._tcp.example.org SRV 0 0 0 .",
    "_pop3._tcp.example.org SRV 0 0 0 .",
    "_autodiscover._tcp.example.org SRV 0 1 443 post.example.com.",
    "autodiscover.example.org CNAME post.example.com.",
    "autoconfig.example.org CNAME post.example.com.",
  ]);
});

test("lists where calendars and contacts are only while they are on and use HTTPS", () => {
  const on = { ...CONFIG, calendar: { socketPath: "/x" } };
  const lines = (settings: typeof CONFIG) =>
    mailAppRecords("example.org", settings).map(({ name, value }) => `${name} ${value}`);
  const added = lines(on).filter((line) => !lines(CONFIG).includes(line));
  expect(added).toEqual([
    "_caldavs._tcp.example.org 0 1 443 post.example.com.",
    "_carddavs._tcp.example.org 0 1 443 post.example.com.",
  ]);
  expect(lines({ ...on, baseUrl: "http://post.example.com" }).join()).not.toContain("_caldavs");
});

test("uses the mail host's name for the web server in local mode", () => {
  const values = mailAppRecords("example.org", readConfig({})).map(({ value }) => value);
  expect(values).toContain("posthouse.localhost.");
  expect(values).toContain("0 1 3000 posthouse.localhost.");
});

test("omits protocols that the policy forbids", () => {
  const on = { ...CONFIG, calendar: { socketPath: "/x" } };
  const some = { imap: false, pop3: true, submission: false, calendar: false };
  const settings = clientSettings(some, on);
  expect(settings).toMatchObject({ imap: [], smtp: [], dav: [] });
  expect(settings.pop3.map(({ port }) => port)).toEqual([995, CONFIG.ports.pop3]);

  const owner = { address: "ann@example.org", companyName: "Example", name: null };
  const allowed = { imap: false, pop3: true, submission: true, calendar: true };
  expect(appleProfile(owner, allowed)).toContain("EmailTypePOP");
  expect(appleProfile(owner, { ...allowed, pop3: false })).toBeNull();
  expect(appleProfile(owner)).toBe(appleProfile(owner));
});
