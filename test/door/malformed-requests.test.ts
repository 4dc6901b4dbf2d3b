import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';
import { itRefusesMalformedBytes } from '../requests/malformed-bytes.ts';

const service = useService({ hasDoor: true });
let admin: Actor;

beforeAll(async () => {
  admin = await service.world.systemAdmin();
});

describe('A door, as the API behind it,', () => {
  itRefusesMalformedBytes(service, () => admin.bearer);
});
