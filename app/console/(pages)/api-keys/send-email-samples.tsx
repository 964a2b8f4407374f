"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";
import { CodeSamples } from "#app/console/ui/tabs.tsx";

import { sendEmailSamples } from "./sample-code.ts";

/**
 * Ready-to-run code that sends an email from one of the company's domains to the reader.
 *
 * @param token an API key that was just created
 * @param domain the only domain that the key can send from
 */
export function SendEmailSamples({
  token,
  domain,
}: {
  token?: string;
  domain?: string | undefined;
}) {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const from = domain ?? me.data.company.sendingDomain;
  const email = {
    from: `Hello <hello@${from ?? "your-domain.example"}>`,
    to: me.data.email,
    subject: "Hello from Posthouse",
    text: "It works.",
  };
  return (
    <div>
      {from === null && (
        <Text size="sm" mb="xs">
          You need a verified domain to send emails. Once you have one, replace your-domain.example
          with it.
        </Text>
      )}
      <CodeSamples samples={sendEmailSamples(window.location.origin, email, token)} />
    </div>
  );
}
