import { describe, expect, test } from "vitest";

import { readUnsubscribe } from "#server/core/sending/tracking/tracking-token.ts";

import {
  unsubscribeHeaders,
  unsubscribeSource,
  wantsHostedUnsubscribe,
  withHostedUnsubscribe,
} from "./hosted-unsubscribe.ts";

const target = {
  companyId: "0190f3c2-7a77-7000-8000-0123456789ab",
  emailId: "0190f3c2-7a77-7000-8000-0123456789ac",
  recipients: ["bob@example.org"],
  baseUrl: "https://mail.here.test",
  isTest: false,
};

const ONE_CLICK = { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };

const linkOf = (value = "") =>
  readUnsubscribe(/^<https:\/\/mail\.here\.test\/t\/u\/([\w-]+)>$/.exec(value)?.[1] ?? "");

describe("the headers of an email", () => {
  test("get a link that names company, email and recipient in place of auto", () => {
    const { "List-Unsubscribe": link, ...others } = unsubscribeHeaders(
      { "x-a": "1", "list-unsubscribe": " Auto ", "LIST-UNSUBSCRIBE-POST": "no" },
      target,
    );
    expect(linkOf(link)).toEqual({
      companyId: target.companyId,
      emailId: target.emailId,
      recipient: "bob@example.org",
      isTest: false,
    });
    expect(others).toEqual({ "x-a": "1", ...ONE_CLICK });
  });

  test.each([
    ["no list header", { "x-a": "auto" }],
    ["their own link", { "List-Unsubscribe": "<https://a.example/auto>" }],
  ])("with %s stay as they are", (_, headers) => {
    expect(unsubscribeHeaders(headers, target)).toBe(headers);
    expect(wantsHostedUnsubscribe(headers)).toBe(false);
  });

  test("lose auto if several recipients share the message", () => {
    const recipients = ["bob@example.org", "eve@example.org"];
    const headers = { "X-A": "1", "List-Unsubscribe": "auto" };
    expect(unsubscribeHeaders(headers, { ...target, recipients })).toEqual({ "X-A": "1" });
  });

  test("ask for a link only if they have no List-Unsubscribe", () => {
    expect(withHostedUnsubscribe({ "X-A": "1" })).toEqual({
      "X-A": "1",
      "List-Unsubscribe": "auto",
    });
    const own = { "list-unsubscribe": "<mailto:stop@a.example>" };
    expect(withHostedUnsubscribe(own)).toBe(own);
  });
});

test("a message submitted over SMTP gets the link in place of its fields, the rest unchanged", () => {
  const source = Buffer.from(
    "From: ann@a.example\r\nList-Unsubscribe:\r\n auto\r\nSubject: Hi\r\n\r\nList-Unsubscribe: auto\r\n",
  );
  const edited = unsubscribeSource(source, { "List-Unsubscribe": "auto" }, target).toString();
  const [, link] = /^List-Unsubscribe: (.*)\r$/m.exec(edited) ?? [];
  expect(linkOf(link)).toMatchObject({ recipient: "bob@example.org" });
  expect(edited.replace(link!, "…")).toBe(
    "From: ann@a.example\r\nSubject: Hi\r\nList-Unsubscribe: …\r\n" +
      "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nList-Unsubscribe: auto\r\n",
  );
  expect(unsubscribeSource(source, {}, target)).toBe(source);
});

test("a message submitted over SMTP loses auto if several recipients share it", () => {
  const source = Buffer.from("Subject: Hi\r\nList-Unsubscribe: auto\r\n\r\nHi\r\n");
  const recipients = ["bob@example.org", "eve@example.org"];
  const edited = unsubscribeSource(
    source,
    { "List-Unsubscribe": "auto" },
    { ...target, recipients },
  );
  expect(edited.toString()).toBe("Subject: Hi\r\n\r\nHi\r\n");
});
