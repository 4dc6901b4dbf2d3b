import { itRefusesMalformedBytes } from '../harness/malformed-bytes.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';

const service = useService({ hasDoor: true });
let admin: Actor;

beforeAll(async () => {
  admin = await service.world.systemAdmin();
});

describe('A door, as the API behind it,', () => {
  itRefusesMalformedBytes(service, () => admin.bearer);
});
