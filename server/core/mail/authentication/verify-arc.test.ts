import { sealMessage } from "mailauth";
import { describe, expect, test } from "vitest";

import { Message } from "#server/core/shared/mime/message.ts";
import { SIGNING_KEY } from "#server/testing/rsa-keys.ts";
import { KEY_RECORD, outsideDns, signed } from "#server/testing/signed-mail.ts";

import { verifyMessage } from "./verify-message.ts";

const key = { TXT: [KEY_RECORD] };
const { dns, resolver } = await outsideDns({
  "_dmarc.there.test": { TXT: ["v=DMARC1; p=reject"] },
  "s1._domainkey.there.test": key,
  "s1._domainkey.plain.test": key,
  "s1._domainkey.list.test": key,
  "s1._domainkey.forwarder.test": key,
  "s1._domainkey.stranger.test": key,
  "s1._domainkey.sub.list.test": key,
});

const ANN =
  "From: ann@there.test\r\nTo: bob@here.test\r\nSubject: Hello\r\nMessage-ID: <1@there.test>\r\n\r\nHello there.\r\n";

const verify = (content: string) =>
  verifyMessage(
    {
      message: new Message(Buffer.from(content, "latin1")),
      sender: "",
      helo: "mx.elsewhere.test",
      clientAddress: "198.51.100.9",
    },
    { resolver, hostname: "mail.here.test", trustedSealers: ["list.test", "forwarder.test"] },
  );

describe("ARC", () => {
  const seal = {
    signingDomain: "list.test",
    selector: "s1",
    privateKey: SIGNING_KEY,
    authResults: "mx.list.test; spf=pass",
    cv: "none",
    signTime: new Date(),
  };
  test("a valid chain, a broken one, and one that is too long", async () => {
    const sealed = (await sealMessage(Buffer.from(ANN), seal)).toString() + ANN;
    expect((await verify(sealed)).arc.result).toBe("pass");
    expect((await verify(sealed.replace("Subject: H", "Subject: J"))).arc.result).toBe("fail");
    expect((await verify(sealed.replace("spf=pass", "spf=fail"))).arc.result).toBe("fail");
    const set = ["Seal", "Message-Signature", "Authentication-Results"]
      .map((name) => `ARC-${name}: i=1; a=rsa-sha256; d=x.test\r\n`)
      .join("");
    const asked = dns.questions.length;
    expect((await verify(set.repeat(20) + ANN)).arc.result).toBe("fail");
    expect(dns.questions.length - asked).toBeLessThan(5);
  });

  test("a signature over fields of a chain that is too long", async () => {
    const set = ["Seal", "Message-Signature", "Authentication-Results"]
      .map((name) => `ARC-${name}: i=1; a=rsa-sha256; d=x.test\r\n`)
      .join("");
    const headerList = "arc-seal:arc-message-signature:from:to";
    const { arc, dkim } = await verify(
      await signed(set.repeat(20) + ANN, "there.test", { headerList }),
    );
    expect([arc.result, dkim.result]).toEqual(["fail", "pass"]);
  });

  test.each([
    ["l=", { maxBodyLength: 3 }],
    ["SHA-1", { algorithm: "rsa-sha1" }],
  ])("a seal over a signature with %s, which isn't checked", async (_, inner) => {
    const text = await signed(ANN, "plain.test", inner);
    const set = await sealMessage(Buffer.from(text), {
      ...seal,
      // Its types lack it.
      headerList: "from:to:subject:dkim-signature",
    });
    const verdict = await verify(set.toString() + text);
    expect([verdict.arc.result, verdict.dkim.result]).toEqual(["pass", "none"]);
  });
});

describe("ARC seals of trusted forwarders", () => {
  const PASS = "dmarc=pass (p=reject) header.from=there.test";
  type Hop = [sealer: string, results: string];

  /** A message that went through these forwarders. The first one changed it. */
  async function forwarded(...hops: Hop[]): Promise<string> {
    let text = `List-Id: <l.list.test>\r\n${ANN}`;
    for (const [at, [signingDomain, results]] of hops.entries()) {
      const set = await sealMessage(Buffer.from(text), {
        signingDomain,
        selector: "s1",
        privateKey: SIGNING_KEY,
        signTime: new Date(),
        authResults: `mx.${signingDomain}; ${results}`,
        cv: at === 0 ? "none" : "pass",
      });
      text = set.toString() + text;
    }
    return text;
  }

  test.each<[string, ...Hop[]]>([
    ["that recorded a pass", ["list.test", PASS]],
    ["that recorded it after other results", ["list.test", `spf=fail;\r\n\t${PASS}; dkim=pass`]],
    ["that follows another", ["list.test", PASS], ["forwarder.test", "arc=pass; dmarc=fail"]],
    ["that follows a stranger", ["stranger.test", "dmarc=fail"], ["list.test", PASS]],
    ["for the organization", ["list.test", "dmarc=pass header.from=News.There.test"]],
    ...[
      // As Google writes them.
      "dkim=pass header.i=@there.test header.s=s1; arc=pass (i=1 spf=pass spfdomain=there.test dkim=pass dkdomain=there.test dmarc=pass fromdomain=there.test); spf=pass (google.com: domain of x@list.test designates 192.0.2.1 as permitted sender); dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=there.test",
      `(dmarc=fail; (dmarc=fail)) ${PASS}`,
      `spf=pass reason="dmarc=fail; dmarc=fail" smtp.mailfrom=list.test; ${PASS}`,
      'DMARC/1 = Pass (a \\) ; dmarc=fail) header.from = "there.test"',
      "dmarc(c)=(c)pass(p=reject)header.from=there.test",
    ].map((results): [string, Hop] => [`with ${results.slice(0, 30)}`, ["list.test", results]]),
  ])("let a message pass: %s", async (_name, ...hops) => {
    const verdict = await verify(await forwarded(...hops));
    expect(verdict).toMatchObject({
      dmarc: { result: "pass", policy: "reject" },
      arc: { result: "pass" },
      isFromVerified: true,
      isUncertain: false,
    });
    expect(verdict.header).toContain(
      `dmarc=pass reason="arc=pass as[${hops.findIndex(([, results]) => results !== "dmarc=fail") + 1}].d=list.test" (p=reject) header.from=there.test;`,
    );
  });

  test.each<[string, ...Hop[]]>([
    ["that recorded a failure", ["list.test", "dmarc=fail header.from=there.test"]],
    ["that recorded no result", ["list.test", "spf=pass"]],
    ["that recorded two results", ["list.test", `dmarc=fail header.from=there.test; ${PASS}`]],
    ["that mentions a pass", ["list.test", "spf=pass (; dmarc=pass header.from=there.test)"]],
    ["that quotes a pass", ["list.test", 'x="; dmarc=pass header.from=there.test"']],
    ["whose comment has no end", ["list.test", `${PASS}; spf=fail (`]],
    ["that recorded two domains", ["list.test", `${PASS} header.from=there.test`]],
    [
      "that recorded a pass of another method",
      ["list.test", "x-dmarc=pass header.from=there.test"],
    ],
    ["that recorded a longer word", ["list.test", "dmarc=pass-not header.from=there.test"]],
    ["that recorded a pass of another domain", ["list.test", "dmarc=pass header.from=plain.test"]],
    ["that recorded a pass of no domain", ["list.test", "dmarc=pass"]],
    ["before a stranger's", ["list.test", PASS], ["stranger.test", PASS]],
    ["below a trusted domain", ["sub.list.test", PASS]],
    ["of a stranger", ["stranger.test", PASS]],
    ["of a stranger before one without a pass", ["stranger.test", PASS], ["list.test", "spf=fail"]],
  ])("don't let a message pass: %s", async (_name, ...hops) => {
    expect(await verify(await forwarded(...hops))).toMatchObject({
      dmarc: { result: "fail", override: null },
      arc: { result: "pass" },
      isFromVerified: false,
    });
  });

  test("don't cover what was changed after them", async () => {
    const text = await forwarded(["list.test", PASS]);
    for (const changed of [`${text}More.\r\n`, text.replace("ann@", "eve@")])
      expect((await verify(changed)).dmarc.result).toBe("fail");
  });

  test("leave the result open while their key can't be looked up", async () => {
    const text = await forwarded(["forwarder.test", PASS]);
    const { "s1._domainkey.forwarder.test": record } = dns.records;
    for (const [broken, isUncertain] of [
      ["TIMEOUT", true],
      [{}, false],
    ] as const) {
      dns.records["s1._domainkey.forwarder.test"] = broken;
      expect(await verify(text)).toMatchObject({ dmarc: { result: "fail" }, isUncertain });
    }
    dns.records["s1._domainkey.forwarder.test"] = record!;
  });
});
