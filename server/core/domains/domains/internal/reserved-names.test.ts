import { expect, test, vi } from "vitest";

import { requireNotReserved } from "./reserved-names.ts";

vi.hoisted(() => {
  process.env.POSTHOUSE_HOSTNAME = "Mail.Acme.test";
  process.env.POSTHOUSE_URL = "https://console.acme.test";
});

const refused = (words: string) =>
  expect.objectContaining({
    reason: "not_allowed",
    message: expect.stringContaining(words) as string,
  }) as Error;

test.each([
  "gmail.com",
  "foo.gmail.com",
  "a.b.gmail.com",
  "googlemail.com",
  "outlook.com",
  "hotmail.co.uk",
  "live.nl",
  "yahoo.com",
  "yahoo.co.in",
  "icloud.com",
  "me.com",
  "aol.com",
  "proton.me",
  "protonmail.com",
  "gmx.de",
  "web.de",
  "t-online.de",
  "mail.ru",
  "yandex.ru",
  "qq.com",
  "163.com",
  "zoho.com",
  "fastmail.com",
  "tutanota.com",
  "hey.com",
  "comcast.net",
])("rejects the mailbox provider of %s", (name) => {
  expect(() => requireNotReserved(name)).toThrow(
    refused("is a public mailbox provider. Use a domain"),
  );
});

test.each(["example.com", "example.net", "a.example.org", "example.example", "shop.example"])(
  "rejects the example %s",
  (name) => {
    expect(() => requireNotReserved(name)).toThrow(
      refused("is reserved for examples. Use a domain"),
    );
  },
);

test.each([
  "shop.invalid",
  "shop.localhost",
  "printer.local",
  "abc.onion",
  "db.internal",
  "home.arpa",
  "2.0.192.in-addr.arpa",
  "shop.alt",
])("rejects %s, which can't exist in the public DNS", (name) => {
  expect(() => requireNotReserved(name)).toThrow(refused("cannot exist in the public DNS. Use a"));
});

test.each([
  "mail.acme.test",
  "below.mail.acme.test",
  "console.acme.test",
  "mta-sts.console.acme.test",
  "posthouse.localhost",
  "x.posthouse.localhost",
])("rejects the platform's own %s", (name) => {
  expect(() => requireNotReserved(name)).toThrow(refused("belongs to this mail service"));
});

test.each([
  "acme.test",
  "shop.acme.test",
  "notgmail.com",
  "gmail.com.evil.net",
  "myexample.com",
  "example.com.au",
  "xmail.acme.test",
  "localhost.run",
  "shop.spb.ru",
  "berlin.de",
  "munich.com",
  "unican.es",
  "shop.co.uk",
])("accepts %s", (name) => {
  expect(() => requireNotReserved(name)).not.toThrow();
});
