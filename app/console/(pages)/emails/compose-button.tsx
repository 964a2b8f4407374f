import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import Link from "next/link";

/** Leads to where one writes an email. */
export function Compose() {
  return (
    <Button component={Link} href="/console/emails/new" leftSection={<IconPencil size={14} />}>
      Write email
    </Button>
  );
}
