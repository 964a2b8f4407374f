"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";

import { CodeSamples } from "./code-samples.tsx";
import { sendingSamples } from "./sample-code.ts";

/**
 * The first email as code that runs: from a domain of the company's own to the reader.
 *
 * @param token of the key that was just made
 * @param domain the only one that it may send from
 */
export function SendSamples({ token, domain }: { token?: string; domain?: string | undefined }) {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const from = domain ?? me.data.company.sending_domain;
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
          Your company has no verified domain yet, and sending needs one: put its name in place of
          your-domain.example once it is verified.
        </Text>
      )}
      <CodeSamples samples={sendingSamples(window.location.origin, email, token)} />
    </div>
  );
}
