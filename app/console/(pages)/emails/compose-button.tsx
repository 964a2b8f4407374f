import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import Link from "next/link";

export function ComposeButton() {
  return (
    <Button component={Link} href="/console/emails/new" leftSection={<IconPencil size={14} />}>
      Compose email
    </Button>
  );
}
