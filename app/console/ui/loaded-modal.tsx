import { Modal, type ModalProps } from "@mantine/core";
import { useMounted } from "@mantine/hooks";

import { useTexts } from "./texts.tsx";

/** Opens only after mounting: Mantine returns focus only if it saw the dialog open. */
export function LoadedModal({ opened, ...props }: ModalProps) {
  const text = useTexts();
  const isMounted = useMounted();
  const closeButtonProps = { "aria-label": text("close") };
  return <Modal closeButtonProps={closeButtonProps} {...props} opened={opened && isMounted} />;
}
