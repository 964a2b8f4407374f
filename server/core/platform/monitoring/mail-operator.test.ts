import { expect, test } from "vitest";

import { mailOperator, operatorOfHosts, readOwnOperators } from "./mail-operator.ts";

const hosts = (...names: string[]) => names.map((name) => ({ name, preference: 10 }));

test.each([
  ["aspmx.l.google.com", "google"],
  ["contoso-com.mail.protection.outlook.com", "microsoft"],
  ["contoso-com.o-v1.mx.microsoft", "microsoft"],
  ["hotmail-com.olc.protection.outlook.com", "outlook"],
  ["mta5.am0.yahoodns.net", "yahoo"],
  ["mx01.mail.icloud.com", "apple"],
  ["mxa-00123456.gslb.pphosted.com", "proofpoint"],
  ["eu-smtp-inbound-1.mimecast.com", "mimecast"],
  ["d12345a.ess.barracudanetworks.com", "barracuda"],
  ["mx1.hc123-45.eu.iphmx.com", "cisco"],
  ["notgoogle.com", null],
  ["mx.example.net", null],
])("%s belongs to %s", (host, operator) => {
  expect(operatorOfHosts(hosts(host))).toBe(operator);
});

test("the preferred hosts decide, and only if they agree", () => {
  const backup = { name: "mx.example.net", preference: 20 };
  expect(operatorOfHosts([...hosts("aspmx.l.google.com", "alt1.aspmx.l.google.com"), backup])).toBe(
    "google",
  );
  expect(operatorOfHosts(hosts("aspmx.l.google.com", "mx.example.net"))).toBeNull();
  expect(operatorOfHosts(hosts("aspmx.l.google.com", "mta5.am0.yahoodns.net"))).toBeNull();
});

test("the operator's own entries extend the table and win over it", () => {
  const own = readOwnOperators("mx.example.net=example,google.com=search");
  expect(operatorOfHosts(hosts("mx.example.net"), own)).toBe("example");
  expect(operatorOfHosts(hosts("a.mx.example.net"), own)).toBe("example");
  expect(operatorOfHosts(hosts("aspmx.l.google.com"), own)).toBe("search");
  expect(operatorOfHosts(hosts("mta5.am0.yahoodns.net"), own)).toBe("yahoo");
  expect(readOwnOperators("none")).toEqual({});
});

test("a destination's operator is learned from the host that replied", () => {
  expect(mailOperator("gmail.com")).toBe("google");
  expect(mailOperator("learned.test")).toBe("other");
  expect(mailOperator("learned.test", "aspmx.l.google.com.")).toBe("google");
  expect(mailOperator("learned.test")).toBe("google");
});
