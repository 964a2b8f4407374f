export { Notifications as ShownToasts, notifications } from "@mantine/notifications";
