"use client";

import { Button, Group } from "@mantine/core";
import { IconDownload, IconMail, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { type DomainDetail, doctorQuery } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";

import { EmailRecordsDialog } from "./email-records-dialog.tsx";

/** Exports the records as a zone file, or as instructions by email or on paper for the person who manages the DNS. */
export function ExportRecords({ domain }: { domain: DomainDetail }) {
  const { data: doctor } = useQuery(doctorQuery(domain));
  const mayEmail = usePrivileges().has("domains");
  const [isEmailing, setIsEmailing] = useState(false);
  return (
    <Group gap="xs">
      {doctor && (
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => downloadText(`${domain.name}.zone`, doctor.zoneFile)}
        >
          Download zone file
        </Button>
      )}
      <Button
        variant="default"
        component={Link}
        href={`/console/domains/${domain.id}/hand-over`}
        leftSection={<IconPrinter size={14} />}
      >
        Print instructions
      </Button>
      {mayEmail && (
        <>
          <Button
            variant="default"
            leftSection={<IconMail size={14} />}
            onClick={() => setIsEmailing(true)}
          >
            Email records
          </Button>
          <EmailRecordsDialog
            domain={domain}
            isOpen={isEmailing}
            onClose={() => setIsEmailing(false)}
          />
        </>
      )}
    </Group>
  );
}

function downloadText(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/dns" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
