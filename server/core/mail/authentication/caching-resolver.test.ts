import { expect, test } from "vitest";

import { cachingResolver } from "./caching-resolver.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

test("caches answers and negative answers for five seconds, but not failures", async () => {
  const asked: string[] = [];
  let time = 0;
  const { resolve } = cachingResolver(
    {
      resolve: (name, rrtype) => {
        asked.push(`${rrtype} ${name}`);
        if (name === "gone.test") return Promise.reject(failure("ENOTFOUND"));
        if (name === "silent.test") return Promise.reject(failure("ETIMEOUT"));
        return Promise.resolve(["x"]);
      },
    },
    () => time,
  );
  const ask = () =>
    Promise.all([
      resolve("a.test", "TXT"),
      resolve("A.test", "TXT"),
      resolve("a.test", "MX"),
      expect(resolve("gone.test", "TXT")).rejects.toThrow("ENOTFOUND"),
      expect(resolve("silent.test", "TXT")).rejects.toThrow("ETIMEOUT"),
    ]);
  await ask();
  expect(asked.splice(0)).toEqual(["TXT a.test", "MX a.test", "TXT gone.test", "TXT silent.test"]);
  time = 4_999;
  await ask();
  expect(asked.splice(0)).toEqual(["TXT silent.test"]);
  time = 5_001;
  await ask();
  expect(asked).toHaveLength(4);
});
