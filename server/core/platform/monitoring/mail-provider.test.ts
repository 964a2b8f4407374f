import { expect, test } from "vitest";

import { mailProvider, providerOfHosts, readMailProviders } from "./mail-provider.ts";

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
])("%s belongs to %s", (host, provider) => {
  expect(providerOfHosts(hosts(host))).toBe(provider);
});

test("the preferred hosts decide, and only if they agree", () => {
  const backup = { name: "mx.example.net", preference: 20 };
  expect(providerOfHosts([...hosts("aspmx.l.google.com", "alt1.aspmx.l.google.com"), backup])).toBe(
    "google",
  );
  expect(providerOfHosts(hosts("aspmx.l.google.com", "mx.example.net"))).toBeNull();
  expect(providerOfHosts(hosts("aspmx.l.google.com", "mta5.am0.yahoodns.net"))).toBeNull();
});

test("the `mail_providers` setting extends the table and takes precedence", () => {
  const custom = readMailProviders("mx.example.net=example,google.com=search");
  expect(providerOfHosts(hosts("mx.example.net"), custom)).toBe("example");
  expect(providerOfHosts(hosts("a.mx.example.net"), custom)).toBe("example");
  expect(providerOfHosts(hosts("aspmx.l.google.com"), custom)).toBe("search");
  expect(providerOfHosts(hosts("mta5.am0.yahoodns.net"), custom)).toBe("yahoo");
  expect(readMailProviders("none")).toEqual({});
});

test("a destination's provider is learned from the host that replied", () => {
  expect(mailProvider("gmail.com")).toBe("google");
  expect(mailProvider("learned.test")).toBe("other");
  expect(mailProvider("learned.test", "aspmx.l.google.com.")).toBe("google");
  expect(mailProvider("learned.test")).toBe("google");
});
