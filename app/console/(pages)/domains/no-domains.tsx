import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";

import classes from "./no-domains.module.css";

export function NoDomains({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Send from your own domain">
      <Text c="dimmed">
        Create a domain to send emails from addresses such as hello@northwind.com and to create
        mailboxes. DNS records verify that you own the domain and let other mail servers
        authenticate your emails.
      </Text>
      <ol className={classes.steps}>
        {STEPS.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {create ? (
        <div>{create}</div>
      ) : (
        <Text>
          You need the Domains privilege to create a domain. Ask an owner of your company.
        </Text>
      )}
    </EmptyState>
  );
}

const STEPS = [
  ["Create the domain.", "All you need is its name."],
  ["Verify ownership.", "Add one TXT record to your DNS. Posthouse then checks it."],
  ["Publish the mail records.", "Copy them, download a zone file, or print the instructions."],
] as const;
