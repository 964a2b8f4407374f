import { callApi } from "./call-api.ts";
import type { Check } from "./self-check.ts";

/** Sends an email to the sandbox mailbox through the API. Returns its id. */
export async function sendEmail(check: Check): Promise<string> {
  const { sandbox, subject } = check;
  const answer = await callApi(check, "POST", "/emails", {
    from: `Posthouse <self-check@${sandbox.domain}>`,
    to: sandbox.mailbox.address,
    subject,
    text: "Posthouse sent this email to its own test mailbox to check that sending and receiving work.",
    html: "<p>Posthouse sent this email to its own test mailbox to check that sending and receiving work.</p>",
  });
  if (typeof answer.id !== "string")
    throw new Error("the API's response has no id: see `posthouse logs --process web`");
  return answer.id;
}
