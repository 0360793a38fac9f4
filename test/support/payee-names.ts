// Pairs of names and what the comparison of a payee's name has to say of them, by rule. Each line
// is `typed | holder`; but for the last rules it holds the other way round too.
import type { NameResult } from '../../src/domain/payee-name.ts'

type Rule = readonly [rule: string, result: NameResult, pairs: string, isOneWay?: true]

const rules: readonly Rule[] = [
  [
    'case, dots, commas and spaces do not count',
    'match',
    `Ada Okafor | Ada Okafor
     ADA OKAFOR | Ada Okafor
     ada okafor | Ada Okafor
     Ada  Okafor | Ada Okafor
     Okafor, Ada | Ada Okafor
     Ada Okafor. | Ada Okafor
     (Ada) Okafor | Ada Okafor
     Ada/Okafor | Ada Okafor
     Jean-Luc Moreau | Jean Luc Moreau
     JEAN-LUC MOREAU | Jean-Luc Moreau
     Anne-Sophie Leclerc-Dubois | Anne Sophie Leclerc Dubois
     Smith-Jones Mary | Mary Smith Jones
     O'Neill Patrick | Patrick O'Neill
     Patrick O’Neill | Patrick O'Neill
     Patrick ONeill | Patrick O'Neill
     D'Angelo Maria | Maria D’Angelo
     Ma. Santos Cruz | Ma Santos Cruz`,
  ],
  [
    'the order of the words does not count',
    'match',
    `Okafor Ada | Ada Okafor
     Nguyen Van An | Van An Nguyen
     Kovács János | János Kovács
     García Márquez Gabriel | Gabriel García Márquez
     van der Berg Jan | Jan van der Berg
     Berg, Jan van der | Jan van der Berg
     de la Cruz Juana | Juana de la Cruz
     Silva Santos Ana Maria | Ana Maria Silva Santos
     Bin Ali Ahmed | Ahmed Bin Ali
     Nowak Jan Maria | Jan Maria Nowak
     Sa Maria | Maria Sa`,
  ],
  [
    'marks upon letters do not count',
    'match',
    `Jose Munoz | José Muñoz
     Francois Lefevre | François Lefèvre
     Zoe Cote | Zoë Côté
     Dvorak Antonin | Antonín Dvořák
     Jiri Prochazka | Jiří Procházka
     Zofia Kowalska | Żofia Kowalska
     Ozturk Mustafa | Mustafa Öztürk
     Isik Ayse | Ayşe Işık
     Stefan Ionita | Ștefan Ioniță
     Janos Ferenczy | János Ferenczy
     Erdos Pal | Erdős Pál
     Sule Yilmaz | Şule Yılmaz
     Nguyen Thi Hue | Nguyễn Thị Huệ
     Joao Goncalves | João Gonçalves
     Sigurdur Jonsson | Sigurður Jónsson
     Thorunn Egilsdottir | Þórunn Egilsdóttir
     Maris Berzins | Māris Bērziņš
     Zydrunas Savickas | Žydrūnas Savickas
     Novak Djokovic | Novak Đoković
     Novak Dokovic | Novak Đoković
     Αλεξης Παπαδοπουλος | Αλέξης Παπαδόπουλος
     СЕРГЕЙ ИВАНОВ | Сергей Иванов
     Łukasz Żak | Lukasz Zak
     Ines Ibanez | Inés Ibáñez`,
  ],
  [
    'ä is a and ae, ö is o and oe, and so on',
    'match',
    `Juergen Mueller | Jürgen Müller
     Jurgen Muller | Jürgen Müller
     Jürgen Mueller | Juergen Müller
     Baerbel Groß | Bärbel Gross
     Gross Barbel | Bärbel Groß
     Goethe Johann | Göthe Johann
     Soren Kierkegard | Søren Kierkegård
     Soeren Kierkegaard | Søren Kierkegård
     Aase Hansen | Åse Hansen
     Ase Hansen | Åse Hansen
     Joergen Baek | Jørgen Bæk
     Jorgen Baek | Jørgen Bæk
     Weiss Käthe | Kaethe Weiß
     WEISS KAETHE | Käthe Weiß
     Strauss Joerg | Jörg Strauß
     Oezdemir Cem | Özdemir Cem`,
  ],
  [
    'legal forms are the same however they are written',
    'match',
    `Acme Ltd | Acme Ltd.
     Acme Limited | Acme Ltd
     ACME LTD | Acme Limited
     Acme Inc. | Acme Incorporated
     Acme Corp | Acme Corporation
     Acme s.r.o. | Acme s. r. o.
     Acme sro | Acme s.r.o.
     Acme spol. s r.o. | Acme s.r.o.
     Acme a.s. | Acme as
     Acme S.A. | Acme SA
     Acme S. A. | Acme SA
     Acme S.p.A. | Acme SpA
     Acme Sp. z o.o. | Acme Sp. z o. o.
     Acme S.A.S. | Acme SAS
     Acme GmbH | ACME G.m.b.H.
     Acme GmbH & Co. KG | Acme GmbH und Co. KG
     Acme GmbH & Co KG | Acme GmbH & Co. KG
     Acme A.G. | Acme AG
     Acme Aktiengesellschaft | Acme AG
     Acme e.V. | Acme eV
     Acme d.o.o. | Acme doo
     Acme B.V. | Acme BV
     Acme N.V. | Acme NV
     Acme OÜ | Acme Oü
     Acme ApS | Acme aps
     Müller Bau GmbH | Mueller Bau GmbH
     Acme L.L.C. | Acme LLC
     Acme P.L.C. | Acme plc`,
  ],
  [
    'scripts without spaces: the spaces do not count',
    'match',
    `王小明 | 王 小明
     山田太郎 | 山田 太郎
     太郎 山田 | 山田太郎
     김민수 | 김 민수
     ヤマダタロウ | ヤマダ タロウ
     山田・太郎 | 山田太郎
     佐藤 花子 | 花子 佐藤
     山田・太郎 | 太郎 山田`,
  ],
  [
    'a typo in a long word is close',
    'close_match',
    `Ada Okafro | Ada Okafor
     Ada Okaför | Ada Okafoor
     Ada Okafo | Ada Okafor
     Ada Okaforr | Ada Okafor
     Ada Okqfor | Ada Okafor
     Grace Hoper | Grace Hopper
     Grace Hoppre | Grace Hopper
     Graec Hopper | Grace Hopper
     Micheal Johnson | Michael Johnson
     Michael Jonson | Michael Johnson
     Katherine Schmidt | Catherine Schmidt
     Peter Schmitt | Peter Schmidt
     Peter Muller | Peter Mueller
     Stefan Meyers | Stefan Meyer
     Philip Williams | Phillip Williams
     Phillip Wiliams | Philip Williams
     Johannes Krueger | Johanes Krüger
     Kowalsky Piotr | Piotr Kowalski
     Novakova Marie | Nováková Maria
     Acme Tradign Ltd | Acme Trading Ltd
     Peter Muelller | Peter Müller
     Sunrise Bakrey GmbH | Sunrise Bakery GmbH`,
  ],
  [
    'an initial of a given name is close',
    'close_match',
    `A. Okafor | Ada Okafor
     A Okafor | Ada Okafor
     G. Hopper | Grace Hopper
     Ada C. Okafor | Ada Chioma Okafor
     A. C. Okafor | Ada Chioma Okafor
     J. Müller | Jürgen Müller
     J. Mueller | Jürgen Müller
     Ö. Demir | Özge Demir
     J. van der Berg | Jan van der Berg
     J R R Tolkien | John Ronald Reuel Tolkien`,
  ],
  [
    'names and titles in addition, or left out, are close',
    'close_match',
    `Ada Okafor | Ada Chioma Okafor
     Ada Okafor | Ada Chioma Ngozi Okafor
     Dr. Ada Okafor | Ada Okafor
     Prof. Dr. Ada Okafor | Ada Okafor
     Mrs Ada Okafor | Ada Okafor
     Ada Okafor PhD | Ada Okafor
     Mr. John Smith | John Smith
     Ing. Jan Novák | Jan Novák
     John Smith Jr. | John Smith
     Gabriel García | Gabriel García Márquez
     Maria Silva | Maria Silva Santos
     Jan Berg Maria | Jan Maria van Berg
     Anna Maria Weiß | Anna Weiss`,
  ],
  [
    'another legal form, or none, is close',
    'close_match',
    `Acme s.r.o. | Acme a.s.
     Acme | Acme GmbH
     Acme Ltd | Acme
     Acme Ltd | Acme plc
     Acme GmbH | Acme AG
     Acme GmbH | Acme UG
     Acme SA | Acme SAS
     Acme Trading | Acme Trading Ltd
     Max Muster | Max Muster KG
     Bäckerei Sonne | Baeckerei Sonne OHG
     Acme BV | Acme NV
     Acme GmbH | Acme GmbH & Co. KG`,
  ],
  [
    'other gaps between the words are close',
    'close_match',
    `AdaOkafor | Ada Okafor
     OkaforAda | Ada Okafor
     Mac Donald Ian | Macdonald Ian
     Ian MacDonald | Ian Mac Donald
     Jan Vandenberg | Jan van den berg
     Sunrisebakery GmbH | Sunrise Bakery GmbH
     Annamaria Weiss | Anna Maria Weiss`,
  ],
  [
    'another name is no match',
    'no_match',
    `Mallory Nobody | Ada Okafor
     Ada Lovelace | Ada Okafor
     Ben Okafor | Ada Okafor
     Okafor | Ada Okafor
     Ada | Ada Okafor
     A. O. | Ada Okafor
     B. Okafor | Ada Okafor
     - | Ada Okafor
     Jan Tomas | Jan Tom
     Jan Tom | Jan Tomáš
     Jan Novák | Jan Novotný
     Jon Smith | Jan Smith
     Jane Smith | John Smith
     Anna Weiss | Hanna Weiss
     Ada Okaf | Ada Okafor
     Ada Kofaro | Ada Okafor
     Bda Okqfro | Ada Okafor
     Peter Maier | Peter Bauer
     Peter Mayr | Peter Meir
     Mark Lee | Mary Lee
     Li Wei | Li Wen
     Marie Curie | Pierre Curie
     Ada | Adam
     Abcdef Bcdefg | Abdcef Cbdfeg
     Okafoor Adaa Chiomma Extra | Ada Okafor
     明王 | 小明 王
     王 | 小明 王
     大明 王 | 王小明
     García | Gabriel García Márquez
     王明 | 王小明
     小王明 | 王小明
     山田次郎 | 山田太郎
     김민지 | 김민수
     Сергей Иванов | Sergey Ivanov`,
  ],
  [
    'another company is no match, and no part of a word is a legal form',
    'no_match',
    `Acme s.r.o. | Apex s.r.o.
     Acme s.r.o. | Acne s.r.o.
     Acne s.r.o. | Acme a.s.
     Acmesro | Acme s.r.o.
     Acmeltd | Acme Ltd
     Acme AG | Agme GmbH
     GmbH | Acme GmbH
     Ltd | Acme Ltd
     Acme Trading Ltd | Acme Holding Ltd
     Acme Trading Ltd | Zenith Trading Ltd
     Sun GmbH | Moon GmbH
     Sunrise Bakery GmbH | Sunset Brewery GmbH
     AG Acme Bau | KG Acme Bau
     Adam & Co KG | Eve & Co KG`,
  ],
  [
    'an initial stands for a given name, wherever it is typed',
    'close_match',
    `Okafor, A. | Ada Okafor
     Okafor A | Ada Okafor
     Tolkien J R R | John Ronald Reuel Tolkien
     Univ. Prof. Dr. Ada Okafor | Ada Okafor
     Ada Okafor | Ada Chioma Ngozi Ifeoma Adaeze Okafor`,
    true,
  ],
  [
    'a given name and an initial do not tell the family name, and a list of names finds nobody',
    'no_match',
    `Ada O. | Ada Okafor
     O. Ada | Ada Okafor
     Ada Okafor Ben Smith Eve Jones Fay | Ada Okafor
     Ada Ben Eve Fay Gus Okafor Smith | Ada Okafor
     Ada Ben Eve Fay Gus Okafor Smith | Gus Smith`,
    true,
  ],
]

/** Every pair with its rule. */
export const payeeNames = rules.flatMap(([rule, result, pairs, isOneWay = false]) =>
  pairs.split('\n').map((line) => {
    const [typed = '', holder = ''] = line.split(' | ').map((name) => name.trim())
    return { rule, result, typed, holder, isOneWay }
  }),
)
