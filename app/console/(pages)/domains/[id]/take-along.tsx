"use client";

import { Button, Group } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { type DomainDetail, doctorQuery } from "#app/console/(pages)/domains/queries.ts";

/** The records for another place: as a file to import, or as a page for whoever runs the DNS. */
export function TakeAlong({ domain }: { domain: DomainDetail }) {
  const { data: doctor } = useQuery(doctorQuery(domain));
  return (
    <Group gap="xs">
      {doctor && (
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => save(`${domain.name}.zone`, doctor.zone_file)}
        >
          Zone file
        </Button>
      )}
      <Button
        variant="default"
        component={Link}
        href={`/console/domains/${domain.id}/hand-over`}
        leftSection={<IconPrinter size={14} />}
      >
        Hand over
      </Button>
    </Group>
  );
}

/** Saves a text as a file, as a link with `download` would. */
function save(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/dns" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
