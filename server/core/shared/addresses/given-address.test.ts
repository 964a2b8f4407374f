import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readGivenAddress, readGivenRecipient } from "./given-address.ts";
import { formatAddress } from "./parse-address.ts";

const address = "shop@x.example";

describe("reads one address, however its name is written", () => {
  test.each([
    [`${address} <${address}>`, address],
    [`SHOP@X.example <${address}>`, "SHOP@X.example"],
    [`Shop ${address} <${address}>`, `Shop ${address}`],
    [`Tom & Jerry <${address}>`, "Tom & Jerry"],
    [`Tom &amp; Jerry <${address}>`, "Tom &amp; Jerry"],
    [`Shop; News <${address}>`, "Shop; News"],
    [`Smith, Ann: "Shop" <${address}>`, 'Smith, Ann: "Shop"'],
    [`[Matt] <${address}>`, "[Matt]"],
    [`Smile :) <${address}>`, "Smile :)"],
    [`Sales (EU <${address}>`, "Sales (EU"],
    [`5" Screens <${address}>`, '5" Screens'],
    [`Meet us @ Berlin <${address}>`, "Meet us @ Berlin"],
    [`@shop <${address}>`, "@shop"],
    [`bob\uff20y.example <${address}>`, "bob\uff20y.example"],
    [`jane@home <${address}>`, "jane@home"],
    [`"jane@home" <${address}>`, "jane@home"],
    [`"Max (max@y.example) via Cloud" <${address}>`, "Max (max@y.example) via Cloud"],
    [`Max (max@y.example) via Cloud <${address}>`, "Max (max@y.example) via Cloud"],
    [`Shop (was <old@x.example>) <${address}>`, "Shop (was <old@x.example>)"],
    [`"Bob <bob@y.example>" <${address}>`, "Bob <bob@y.example>"],
    [`"Shop" (News) <${address}>`, "Shop (News)"],
    [`Dwayne "The Shop" Johnson <${address}>`, 'Dwayne "The Shop" Johnson'],
    [`Ann "a@y.example" Smith <${address}>`, 'Ann "a@y.example" Smith'],
    [`${address} (cron)`, "cron"],
    [`(cron) ${address}`, "cron"],
    [`${address} (Cron (nested) \\) Daemon)`, "Cron (nested) ) Daemon"],
    [`${address} (bob@y.example)`, "bob@y.example"],
    [`shop(cron)@x.example`, "cron"],
    [`<${address}> (cron)`, "cron"],
    [`<${address} (cron)>`, "cron"],
    [`Shop <${address}> (was <old@x.example>)`, "Shop"],
    [`${address} (=?utf-8?q?J=C3=B6rg?=)`, "Jörg"],
    [`=?utf-8?q?bob=40y=2etest?= <${address}>`, "bob@y.test"],
    [`=?utf-8?q?Boss_=3cb=40y=2etest=3e=2c_x?= <${address}>`, "Boss <b@y.test>, x"],
    [`=?utf-8?q?Smith,_Ann?= <${address}>`, "Smith, Ann"],
    [`=?x-unknown?q?abc?= <${address}>`, "abc"],
    [`${"=?utf-8?q?=C3=B6=C3=B6=C3=B6=C3=B6?= ".repeat(30)}<${address}>`, "ö".repeat(120)],
  ])("%s", (text, name) => {
    expect(readGivenAddress(text)).toEqual({ name, address });
  });
});

test.each<[string, string | null, string?]>([
  ["Shop; News <a..b@x.example>", "Shop; News", "a..b@x.example"],
  ['Shop; "News" <"a,b"@x.example>', 'Shop; "News"', '"a,b"@x.example'],
  ['"a,b"@x.example (cron)', "cron", '"a,b"@x.example'],
  ['(cron "x") "a,b"@x.example', 'cron "x"', '"a,b"@x.example'],
  ["a..b@x.example <a..b@x.example>", "a..b@x.example", "a..b@x.example"],
  ["a..c@x.example <a..b@x.example>", null],
  ['Shop; News <"a b"@x.example>', null],
  ['Shop; News <"a"(b)@x.example>', "Shop; News", "a@x.example"],
])("a recipient can be %s", (text, name, address) => {
  expect(readGivenRecipient(text)).toEqual(name === null ? null : { name, address });
  expect(readGivenAddress(text)).toBeNull();
});

describe("rejects", () => {
  test.each([
    ["a comment alone", "root (Cron Daemon)"],
    ["two addresses", `${address}, bob@y.example`],
    ["two addresses with a comment", `${address} (a) bob@y.example`],
    ["two in brackets", `Shop <${address}>, Bob <bob@y.example>`],
    ["two pairs of brackets", `<bob@y.example> <${address}>`],
    ["another address before", `bob@y.example <${address}>`],
    ["another address within", `Bob bob@y.example <${address}>`],
    ["another address with spaces", `bob @ y.example <${address}>`],
    ["another address and a semicolon", `bob@y.example; <${address}>`],
    ["a bracket in an encoded word", `=?utf-8?q?<bob@y.example>?= <${address}>`],
    ["text behind", `<${address}> Bob`],
    ["a group", `Team: ${address};`],
    ["an unfinished comment", `${address} (cron`],
    ["an unfinished quotation", `"Bob <bob@y.example> <${address}>`],
    ["a comment in the local part", `sh(x)op@x.example`],
    ["a quoted local part", `"bob@y.example"@x.example`],
    ["a broken encoded word", `=?utf-8?q?x <${address}>`],
    ["an encoded word for an address", "=?utf-8?q?shop=40x.example?="],
    ["an encoded word in the address", `<=?utf-8?q?bob=40y.example=3E?=${address}>`],
    ["an encoded line break", `=?utf-8?q?a=0D=0Ab?= <${address}>`],
    ["an encoded bidi override", `=?utf-8?q?=E2=80=AEbob?= <${address}>`],
    ["a bidi override in a comment", `${address} (\u202ebob)`],
    ["an endless name", `=?utf-8?q?${"b".repeat(1001)}?= <${address}>`],
    ["over 320 characters", `${"b".repeat(305)}, <${address}>`],
  ])("%s", (_, text) => {
    expect(readGivenAddress(text)).toBeNull();
  });
});

test("keeps the case of the local part", () => {
  expect(readGivenAddress("Shop; News <Reply+AbC@x.example>")).toEqual({
    name: "Shop; News",
    address: "reply+abc@x.example",
    written: "Reply+AbC@x.example",
  });
});

test("reads what it formats", () => {
  const word = fc.constantFrom(
    ...Array.from('ab "\\(){}<>@,;:.=?é'),
    "=?utf-8?q?x?=",
    address,
    "bob@y.example",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const read = readGivenAddress(`${words.join("")} <${address}>`);
      if (read) expect(readGivenAddress(formatAddress(read))).toEqual(read);
    }),
    { numRuns: 2000 },
  );
});
