import { type Element, parentElement, textElement } from '../formats/xml.ts';
import { type EdmType, entityName, feedProperties, type UrlBelow } from './entries.ts';

/** What a client of version 2 reads first. */
export const serviceDocument = (urlOf: UrlBelow): Element =>
  parentElement(
    'service',
    [
      parentElement('workspace', [
        textElement('atom:title', 'Default'),
        parentElement('collection', [textElement('atom:title', 'Packages')], { href: 'Packages' }),
      ]),
    ],
    { 'xml:base': urlOf(''), xmlns: 'http://www.w3.org/2007/app', 'xmlns:atom': 'http://www.w3.org/2005/Atom' },
  );

const property = (name: string, type: EdmType): Element => {
  const isKey = name === 'Id' || name === 'Version';
  return parentElement('Property', [], { Name: name, Type: type, Nullable: String(type === 'Edm.String' && !isKey) });
};

/** A request that a client may send only if the metadata name it, with its parameters. */
const request = (name: string, parameters: Readonly<Record<string, EdmType>>): Element =>
  parentElement(
    'FunctionImport',
    Object.entries(parameters).map(([parameter, type]) =>
      parentElement('Parameter', [], { Name: parameter, Type: type }),
    ),
    {
      Name: name,
      ReturnType: `Collection(${entityName.namespace}.${entityName.type})`,
      EntitySet: 'Packages',
      'm:HttpMethod': 'GET',
    },
  );

const entity = parentElement(
  'EntityType',
  [
    parentElement(
      'Key',
      ['Id', 'Version'].map((name) => parentElement('PropertyRef', [], { Name: name })),
    ),
    ...feedProperties.map(([name, type]) => property(name, type)),
  ],
  { Name: entityName.type, 'm:HasStream': 'true' },
);

const container = parentElement(
  'EntityContainer',
  [
    parentElement('EntitySet', [], { Name: 'Packages', EntityType: `${entityName.namespace}.${entityName.type}` }),
    request('Search', {
      searchTerm: 'Edm.String',
      targetFramework: 'Edm.String',
      includePrerelease: 'Edm.Boolean',
      semVerLevel: 'Edm.String',
    }),
    request('FindPackagesById', { id: 'Edm.String', semVerLevel: 'Edm.String' }),
  ],
  { Name: 'V2FeedContext', 'm:IsDefaultEntityContainer': 'true' },
);

/** The data model of a feed, from which clients learn what it can do (www.odata.org/documentation/odata-version-2-0). */
export const metadataDocument: Element = parentElement(
  'edmx:Edmx',
  [
    parentElement(
      'edmx:DataServices',
      [
        parentElement('Schema', [entity, container], {
          Namespace: entityName.namespace,
          xmlns: 'http://schemas.microsoft.com/ado/2006/04/edm',
        }),
      ],
      {
        'xmlns:m': 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata',
        'm:DataServiceVersion': '2.0',
        'm:MaxDataServiceVersion': '2.0',
      },
    ),
  ],
  { Version: '1.0', 'xmlns:edmx': 'http://schemas.microsoft.com/ado/2007/06/edmx' },
);
