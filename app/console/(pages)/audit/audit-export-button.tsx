import { Button, type ButtonProps } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";

export function AuditExportButton(props: ButtonProps & ComponentPropsWithRef<"button">) {
  return (
    <Button variant="default" leftSection={<IconDownload size={14} />} {...props}>
      Export
    </Button>
  );
}
