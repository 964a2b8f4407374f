import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { emailBodies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

test("replaces unpaired surrogates, which JSON allows and text does not, with U+FFFD", async () => {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  const { name } = await aDomain(companyId);
  const email = `"from":"ann@${name}","to":"bob@example.org","subject":"Hi"`;
  const text = String.raw`"a \ud800 b \udc00 \\ud800 \ud83d\ude00"`;

  const answer = await call(emailsApi.send, { key, rawBody: `{${email},"text":${text}}` });

  expect(answer).toMatchObject({ status: 200 });
  const [body] = await db()
    .select({ text: emailBodies.text })
    .from(emailBodies)
    .where(eq(emailBodies.emailId, (answer.body as { id: string }).id));
  expect(body!.text).toBe("a \ufffd b \ufffd \\ud800 😀");
});
