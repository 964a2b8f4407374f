"use client";

import { Button } from "@mantine/core";
import { IconWand } from "@tabler/icons-react";
import { useState } from "react";

import type {
  DomainDetail,
  SetupAccess,
  SetupPlan,
  SetupResult,
} from "#app/console/(pages)/domains/queries.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

import type { DnsHost } from "./dns-hosts.ts";
import { SetupResults } from "./setup-results.tsx";
import { SetupReview } from "./setup-review.tsx";
import { SetupTokenForm } from "./setup-token-form.tsx";

type Props = { domain: DomainDetail; host: DnsHost; onPublished: () => void };

/** Publishes the records through the API of the DNS provider: token, review, results. */
export function AutomaticSetup(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button leftSection={<IconWand size={14} />} onClick={() => setIsOpen(true)}>
        Set up automatically
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Set up ${props.domain.name} at ${props.host.name}`}
        size="lg"
      >
        <SetupSteps {...props} onClose={close} />
      </Modal>
    </>
  );
}

/** Only this component's state holds the token, so closing the dialog discards it. */
function SetupSteps({ domain, host, onPublished, onClose }: Props & { onClose: () => void }) {
  const [reviewed, setReviewed] = useState<{ access: SetupAccess; plan: SetupPlan } | null>(null);
  const [results, setResults] = useState<SetupResult[] | null>(null);
  const restart = () => {
    setReviewed(null);
    setResults(null);
  };
  if (results) return <SetupResults results={results} onRetry={restart} onClose={onClose} />;
  if (!reviewed)
    return (
      <SetupTokenForm
        domain={domain}
        host={host}
        onClose={onClose}
        onReviewed={(access, plan) => setReviewed({ access, plan })}
      />
    );
  return (
    <SetupReview
      {...reviewed}
      domain={domain}
      onBack={restart}
      onDone={(results) => {
        // The token is no longer needed.
        setReviewed(null);
        setResults(results);
        onPublished();
      }}
    />
  );
}
