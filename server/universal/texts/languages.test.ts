// cspell:disable
import { describe, expect, test } from "vitest";

import { german } from "./de.ts";
import * as en from "./en.ts";
import { ui } from "./en-ui.ts";
import { fillText, splitText, type Text } from "./format-text.ts";
import { CATALOGS, mailTexts, requestLanguage, translateError } from "./languages.ts";

const namesIn = (text: Text) => {
  const forms = typeof text === "string" ? [text] : Object.values(text);
  const found = forms.map((form) =>
    [...form.matchAll(/\{(\w+)\}|<(\w+)>/g)].map(([, name, tag]) => name ?? tag).sort(),
  );
  for (const each of found) expect(each).toEqual(found[0]);
  return found[0];
};

describe.each(Object.keys(CATALOGS) as (keyof typeof CATALOGS)[])("the texts in %s", (language) => {
  test.each(["ui", "account", "mail", "sheet"] as const)(
    "%s has the English keys, each with the same placeholders",
    (section) => {
      const english: Record<string, Text> = { ...en, ui }[section];
      const texts: Record<string, Text> = CATALOGS[language][section];
      expect(Object.keys(texts)).toEqual(Object.keys(english));
      for (const [key, text] of Object.entries(texts)) {
        expect(namesIn(text), key).toEqual(namesIn(english[key]!));
        const forms = typeof text === "string" ? [text] : Object.values(text);
        for (const form of forms) expect(form.trim(), key).not.toBe("");
      }
    },
  );
});

test("the German messages of the server keep their placeholders", () => {
  for (const [message, translation] of Object.entries(german.errors))
    expect(namesIn(translation), message).toEqual(namesIn(message));
  expect(Object.keys(german.errors)).toEqual([...en.errors]);
});

test.each([
  [undefined, undefined, "en"],
  ["de-DE,de;q=0.9,en;q=0.8", undefined, "de"],
  ["en-US,en;q=0.9,de;q=0.8", undefined, "en"],
  ["fr-FR,fr;q=0.9,de-AT;q=0.8,en;q=0.7", undefined, "de"],
  ["en;q=0.5, de ; q=0.9", undefined, "de"],
  ["de;q=0", undefined, "en"],
  ["fr, *;q=0.5", undefined, "en"],
  ["en-US", "a=b; posthouse_language=de", "de"],
  ["de", "posthouse_language=en", "en"],
  ["de", "posthouse_language=constructor", "de"],
  ["de", "not-posthouse_language=en", "de"],
])("Accept-Language %s with the cookie %s chooses %s", (accepted, cookie, language) => {
  expect(requestLanguage({ "accept-language": accepted, cookie })).toBe(language);
});

test("reads a header of any length in linear time", () => {
  const start = performance.now();
  requestLanguage({ "accept-language": `de${" ".repeat(100_000)}de` });
  expect(performance.now() - start).toBeLessThan(1_000);
});

test("fills in values, with numbers as the locale writes them", () => {
  expect(fillText("{a} and {b}", "de", { a: 1234.5, b: "x{a}" })).toBe("1.234,5 and x{a}");
  const forms = { one: "{count} message", other: "{count} messages" };
  expect(fillText(forms, "en", { count: 1 })).toBe("1 message");
  expect(fillText(forms, "en", { count: 0 })).toBe("0 messages");
});

test("splits a text at its elements", () => {
  const parts = splitText<string>(
    "Open <link>the {page}</link> now",
    "en",
    { link: "!", page: "x" },
    (tag, inside) => tag + inside.join(""),
  );
  expect(parts.join("")).toBe("Open !the x now");
});

test("emails use the plural forms of their language", () => {
  expect(mailTexts("de")("digest.both", { count: 1, held: 2 })).toBe(
    "1 E-Mail in Quarantäne, 2 angehalten",
  );
});

test.each([
  ["The current password is incorrect", "Das aktuelle Passwort ist falsch"],
  ["The current password is incorrect.", "Das aktuelle Passwort ist falsch."],
  ["code: is incorrect", "ist falsch"],
  ["password: must have at least 12 characters", "muss mindestens 12 Zeichen haben"],
  [
    "name: must have 1 to 60 characters, on one line",
    "muss einzeilig sein und 1 bis 60 Zeichen haben",
  ],
  [
    "name: must have at most 60 characters, on one line",
    "muss einzeilig sein und darf höchstens 60 Zeichen haben",
  ],
  [
    "ann@x.test isn't an address of your company.",
    "ann@x.test ist keine Adresse Ihres Unternehmens.",
  ],
  ["No request to this address is pending", "Für diese Adresse ist keine Anfrage offen"],
  [
    "Couldn't sign in with your identity provider (id.test): its ID token isn't valid",
    "Die Anmeldung bei Ihrem Identitätsanbieter (id.test) ist fehlgeschlagen: its ID token isn't valid",
  ],
  ["a{b} isn't an email address.", "a{b} ist keine E-Mail-Adresse."],
  ["Something that has no translation", "Something that has no translation"],
])("translates the server's message “%s”", (message, german) => {
  expect(translateError("de", message)).toBe(german);
  expect(translateError("en", message)).toBe(message);
});
