import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";

import { parseEndpoint } from "./parse-endpoint.ts";

test.each([
  ["https://example.com", "https://example.com/"],
  ["https://example.com:443/a?b=c", "https://example.com/a?b=c"],
  ["https://example.com:8443/a", "https://example.com:8443/a"],
  ["HTTPS://Hooks.Example.COM./In", "https://hooks.example.com/In"],
  ["https://bücher.example.com/ü", "https://xn--bcher-kva.example.com/%C3%BC"],
  ["https://example.com/a#part", "https://example.com/a"],
  ["https://example.com/a?b#part", "https://example.com/a?b"],
  ["https://my_hooks.example.com/", "https://my_hooks.example.com/"],
  ["https://local.example.com/", "https://local.example.com/"],
  ["https://8.8.8.8/a", "https://8.8.8.8/a"],
  ["https://134744072/a", "https://8.8.8.8/a"],
  ["https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"],
  [`https://example.com/${"a".repeat(1980)}`, `https://example.com/${"a".repeat(1980)}`],
])("normalizes %s", (text, normal) => {
  expect(parseEndpoint(text)).toBe(normal);
});

test.each([
  ["", "is not a valid URL"],
  ["example.com/hooks", "is not a valid URL"],
  ["https://", "is not a valid URL"],
  ["https://1.2.3.4.5/", "is not a valid URL"],
  ["https://exa mple.com/", "must not contain white space"],
  [" https://example.com/", "must not contain white space"],
  ["https://example.com/\na", "must not contain white space"],
  ["https://example.com/\u0000", "must not contain white space"],
  [`https://example.com/${"a".repeat(1981)}`, "must be at most 2000 characters"],
  [`https://example.com/${"ü".repeat(1000)}`, "must be at most 2000 characters, percent-encoded"],
  ["http://example.com/", "must be a URL that starts with https://"],
  ["ftp://example.com/", "must be a URL that starts with https://"],
  ["javascript:alert(1)", "must be a URL that starts with https://"],
  ["https:example.com", "must be a URL that starts with https://"],
  ["https:\\\\example.com", "must be a URL that starts with https://"],
  ["https://ann@example.com/", "must not contain a user name or password"],
  ["https://:secret@example.com/", "must not contain a user name or password"],
  ["https://example.com:80/", "must use port 443 or 8443"],
  ["https://example.com:8080/", "must use port 443 or 8443"],
  ["https://example.com:0/", "must use port 443 or 8443"],
  ["https://127.0.0.1/", "127.0.0.1 is private or reserved"],
  ["https://2130706433/", "127.0.0.1 is private or reserved"],
  ["https://0x7f.1/", "127.0.0.1 is private or reserved"],
  ["https://0177.0.0.01/", "127.0.0.1 is private or reserved"],
  ["https://１２７.0.0.1/", "127.0.0.1 is private or reserved"],
  ["https://10.0.0.1./", "10.0.0.1 is private or reserved"],
  ["https://169.254.169.254/latest", "169.254.169.254 is private or reserved"],
  ["https://[::1]/", "::1 is private or reserved"],
  ["https://[::ffff:10.0.0.1]/", "::ffff:a00:1 is private or reserved"],
  ["https://[64:ff9b::a00:1]/", "64:ff9b::a00:1 is private or reserved"],
  ["https://localhost/", '"localhost" has no dot'],
  ["https://intranet/", '"intranet" has no dot'],
  ["https://intranet./", '"intranet" has no dot'],
  ["https://com/", '"com" has no dot'],
  ["https://printer.local/", "names that end in .local are internal"],
  ["https://printer.LOCAL./", "names that end in .local are internal"],
  ["https://db.internal/", "names that end in .internal are internal"],
  ["https://nas.lan/", "names that end in .lan are internal"],
  ["https://app.localhost/", "names that end in .localhost are internal"],
  ["https://nas.home.arpa/", "names that end in .home.arpa are internal"],
  ["https://wiki.intranet/", "names that end in .intranet are internal"],
  ["https://wiki.corp/", "names that end in .corp are internal"],
  ["https://nas.home/", "names that end in .home are internal"],
  ["https://db.private/", "names that end in .private are internal"],
  ["https://a.localdomain/", "names that end in .localdomain are internal"],
  ["https://a.invalid/", "names that end in .invalid are internal"],
  ["https://abc.onion/", "names that end in .onion are internal"],
  ["https://hooks.test/", "names that end in .test are reserved"],
  ["https://hooks.EXAMPLE./", "names that end in .example are reserved"],
  ["https://a..example.com/", '"a..example.com" is not a hostname'],
  ["https://-a.example.com/", '"-a.example.com" is not a hostname'],
  ["https://a.example.com../", '"a.example.com." is not a hostname'],
  [`https://${"a".repeat(64)}.example.com/`, "is not a hostname"],
  [`https://${"a.".repeat(130)}example.com/`, "is not a hostname"],
])("rejects %j", (text, problem) => {
  expect(() => parseEndpoint(text)).toThrow(
    expect.objectContaining({
      reason: "invalid",
      message: expect.stringMatching(/^endpoint: /) as string,
    }),
  );
  expect(() => parseEndpoint(text)).toThrow(problem);
});

test("accepts ranges that the operator allowed, with the same ports and only with https", () => {
  const allowed = [ipaddr.parseCIDR("10.0.0.0/8")];

  expect(parseEndpoint("https://10.1.2.3:8443/a", allowed)).toBe("https://10.1.2.3:8443/a");
  expect(() => parseEndpoint("https://10.1.2.3:9000/", allowed)).toThrow("port");
  expect(() => parseEndpoint("http://10.1.2.3/", allowed)).toThrow("https");
  expect(() => parseEndpoint("https://127.0.0.1/", allowed)).toThrow("private");
  expect(() => parseEndpoint("https://localhost/", allowed)).toThrow("has no dot");
});

test("accepts localhost and names reserved for tests if loopback is allowed", () => {
  const allowed = [ipaddr.parseCIDR("127.0.0.0/8")];

  expect(parseEndpoint("https://localhost:8443/a", allowed)).toBe("https://localhost:8443/a");
  expect(parseEndpoint("https://hooks.localhost/", allowed)).toBe("https://hooks.localhost/");
  expect(parseEndpoint("https://hooks.test/", allowed)).toBe("https://hooks.test/");
  expect(() => parseEndpoint("https://hooks/", allowed)).toThrow("has no dot");
  expect(() => parseEndpoint("https://hooks.local/", allowed)).toThrow(".local");
});
