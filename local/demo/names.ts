// Names from the countries where the demo organisation has sites, in their own script. A name in another script than
// Latin is followed by its spelling in usernames: "佐藤|sato". Latin names lose their marks there. An underscore is a
// space. Where family names differ for women and men, only names that do not are listed.

/** People of one culture: their language, sites and names. */
export type Culture = { language: string; location: string; phone: string; firstNames: string; lastNames: string }

// 16 first names and 13 last names each: no common factor, so stepping through both meets every pair.
export const cultures: Culture[] = [
  {
    language: 'en-GB',
    location: 'London',
    phone: '+44 20 7946',
    firstNames: 'Olivia George Amelia Harry Isla Oliver Ava Jack Emily Thomas Sophie Liam Siân Seán Grace Callum',
    lastNames: 'Smith Jones Taylor Brown Williams Wilson Johnson Davies O’Brien Patel MacLeod Bennett Fitzgerald',
  },
  {
    language: 'de-DE',
    location: 'München',
    phone: '+49 89 5550',
    firstNames:
      'Anna Jürgen Käthe Björn Sabine Lukas Jörg Friederike Götz Hannah Maximilian Ute Matthias Zoë Karl Heike',
    lastNames: 'Müller Schmidt Weiß Schäfer Großmann Köhler Voß Bäcker Krüger Jäger Hofmann Öztürk von_der_Heide',
  },
  {
    language: 'fr-FR',
    location: 'Lyon',
    phone: '+33 4 7200',
    firstNames:
      'Jean-Luc Zoé François Hélène Noël Agnès Étienne Chloé Gaël Aurélie Rémi Océane Benoît Inès Théo Maëlle',
    lastNames: 'Lefèvre Dubois Gérard Bœuf Garçon Moreau L’Hôpital Fournier Bégin Chevalier Château Noël Saint-Just',
  },
  {
    language: 'es-ES',
    location: 'Málaga',
    phone: '+34 952 010',
    firstNames: 'José María Íñigo Lucía Ángel Begoña Andrés Sofía Raúl Inés Jesús Martín Concepción Óscar Paula Héctor',
    lastNames: 'García Muñoz Núñez Peña Ibáñez Gómez Castañeda Rodríguez Ordóñez Vázquez Pérez López Santaña',
  },
  {
    language: 'pt-PT',
    location: 'Évora',
    phone: '+351 266 00',
    firstNames:
      'João Inês Tomás Conceição Simão Beatriz Luís Assunção Gonçalo Mafalda Estêvão Marta Rui Leonor Vasco Lívia',
    lastNames: 'Conceição Gonçalves Magalhães Araújo Simões Falcão Brandão Sá Antunes Brás Patrício Queirós Ramalho',
  },
  {
    language: 'it-IT',
    location: 'Forlì',
    phone: '+39 0543 0',
    firstNames:
      'Niccolò Giulia Matteo Chiara Lorenzo Noemi Alessandro Martina Davide Elisa Simone Ginevra Pietro Irene Luca Aurora',
    lastNames: 'Rossi Cantù D’Angelo Esposito Nicolò Ferrari Lo_Curzio De_Santis Bianchi Greco Conti Marino Pitrè',
  },
  {
    language: 'sv-SE',
    location: 'Malmö',
    phone: '+46 40 900',
    firstNames: 'Åsa Björn Märta Örjan Linnéa Göran Ebba Håkan Kerstin Søren Astrid Jørgen Frøydis Åke Ingrid Þór',
    lastNames:
      'Åkerström Sjöberg Öhman Ångström Lindqvist Hægstad Ødegård Strømme Nyström Bäckman Þorvaldsson Møller Kjær',
  },
  {
    language: 'pl-PL',
    location: 'Łódź',
    phone: '+48 42 200',
    firstNames:
      'Łukasz Małgorzata Grażyna Stanisław Zbigniew Żaneta Michał Agnieszka Józef Świętosława Paweł Wiesława Bożena Ryszard Elżbieta Jędrzej',
    lastNames: 'Nowak Wójcik Woźniak Mazur Ślązak Żak Błaszczyk Ćwikła Łuczak Gołąb Kaźmierczak Pająk Sęk',
  },
  {
    language: 'cs-CZ',
    location: 'Plzeň',
    phone: '+420 377 0',
    firstNames:
      'Jiří Božena Tomáš Šárka Zdeněk Žaneta Ondřej Růžena Václav Věra Luboš Eliška Přemysl Libuše Štěpán Dušan',
    lastNames: 'Krejčí Kočí Jarní Martinů Janů Petrů Pavlů Jirků Matějů Šimků Kubů Dolejší Řezníčků',
  },
  {
    language: 'tr-TR',
    location: 'İzmir',
    phone: '+90 232 00',
    firstNames: 'Işıl Çağrı Gülşah Oğuz İbrahim Ayşe Şükrü Özlem Tuğba Ümit Nazlı Cüneyt Hülya Barış Yağmur Doğan',
    lastNames: 'Yılmaz Şahin Çelik Öztürk Kılıç Aydın Doğan Güneş Işık İnönü Koç Ağaoğlu Türkmen',
  },
  {
    language: 'vi-VN',
    location: 'Đà Nẵng',
    phone: '+84 236 00',
    firstNames: 'Thị_Hương Đức Minh_Ánh Quốc_Huy Ngọc Tuấn Thảo_Vy Bảo Yến Khánh Phượng Dũng Mỹ_Linh Hiếu Trâm Vũ',
    lastNames: 'Nguyễn Trần Lê Phạm Hoàng Huỳnh Võ Đặng Bùi Đỗ Hồ Ngô Dương',
  },
  {
    language: 'el-GR',
    location: 'Αθήνα',
    phone: '+30 21 0300',
    firstNames:
      'Γιώργος|giorgos Ελένη|eleni Κωνσταντίνος|konstantinos Σοφία|sofia Νίκος|nikos Άννα|anna Δημήτρης|dimitris Ιωάννα|ioanna Θεόδωρος|theodoros Κατερίνα|katerina Ανδρέας|andreas Ζωή|zoi Σπύρος|spyros Χριστίνα|christina Ηλίας|ilias Φωτεινή|foteini',
    lastNames:
      'Οικονόμου|oikonomou Δημητρίου|dimitriou Γεωργίου|georgiou Σταύρου|stavrou Παπανικολάου|papanikolaou Αντωνίου|antoniou Βασιλείου|vasileiou Αθανασίου|athanasiou Νικολάου|nikolaou Ιωάννου|ioannou Κωνσταντίνου|konstantinou Θεοδώρου|theodorou Χρήστου|christou',
  },
  {
    language: 'uk-UA',
    location: 'Київ',
    phone: '+380 44 00',
    firstNames:
      'Олена|olena Андрій|andrii Оксана|oksana Тарас|taras Ярослав|yaroslav Юлія|yuliia Сергій|serhii Наталія|nataliia Ігор|ihor Людмила|liudmyla Євген|yevhen Ганна|hanna Володимир|volodymyr Соломія|solomiia Дмитро|dmytro Марія|mariia',
    lastNames:
      'Шевченко|shevchenko Коваленко|kovalenko Бондаренко|bondarenko Ткачук|tkachuk Кравець|kravets Мельник|melnyk Лисенко|lysenko Гриценко|hrytsenko Щербак|shcherbak Їжак|yizhak Єфименко|yefymenko Ґудзь|gudz Поліщук|polishchuk',
  },
  {
    language: 'sr-RS',
    location: 'Ниш',
    phone: '+381 18 50',
    firstNames:
      'Јелена|jelena Милош|milos Драгана|dragana Никола|nikola Љиљана|ljiljana Стефан|stefan Ђурђа|djurdja Немања|nemanja Весна|vesna Душан|dusan Жељка|zeljka Бојан|bojan Снежана|snezana Огњен|ognjen Ивана|ivana Филип|filip',
    lastNames:
      'Јовановић|jovanovic Петровић|petrovic Николић|nikolic Марковић|markovic Ђорђевић|djordjevic Стојановић|stojanovic Илић|ilic Станковић|stankovic Павловић|pavlovic Живковић|zivkovic Цветковић|cvetkovic Његош|njegos Љубичић|ljubicic',
  },
  {
    language: 'ar-EG',
    location: 'القاهرة',
    phone: '+20 2 2300',
    firstNames:
      'محمد|mohamed فاطمة|fatma أحمد|ahmed مريم|mariam يوسف|youssef نور|nour علي|ali سلمى|salma خالد|khaled هدى|hoda إبراهيم|ibrahim آية|aya طارق|tarek ليلى|laila عمر|omar رؤى|roaa',
    lastNames:
      'حسن|hassan عبدالله|abdallah المصري|elmasry السيد|elsayed إسماعيل|ismail منصور|mansour الشريف|elsherif فاروق|farouk سليمان|soliman زكي|zaki رمضان|ramadan عثمان|othman نجيب|naguib',
  },
  {
    language: 'he-IL',
    location: 'חיפה',
    phone: '+972 4 800',
    firstNames:
      'נועה|noa יוסף|yosef תמר|tamar דוד|david מאיה|maya איתן|eitan שירה|shira אורי|ori יעל|yael משה|moshe רותם|rotem גיא|guy אביגיל|avigail עומר|omer הדס|hadas אלון|alon',
    lastNames:
      'כהן|cohen לוי|levi מזרחי|mizrahi פרץ|peretz ביטון|biton אברהם|avraham פרידמן|friedman שפירא|shapira בן־דוד|ben-david אזולאי|azulay גולן|golan רוזן|rosen ברק|barak',
  },
  {
    language: 'hi-IN',
    location: 'पुणे',
    phone: '+91 20 6700',
    firstNames:
      'आरव|aarav प्रिया|priya विवान|vivaan अनन्या|ananya अर्जुन|arjun दीपिका|deepika रोहन|rohan काव्या|kavya ईशान|ishaan नेहा|neha आदित्य|aditya मीरा|meera राहुल|rahul सुनीता|sunita विक्रम|vikram पूजा|pooja',
    lastNames:
      'शर्मा|sharma वर्मा|verma गुप्ता|gupta सिंह|singh मिश्रा|mishra जोशी|joshi कुलकर्णी|kulkarni देशपांडे|deshpande अय्यर|iyer रेड्डी|reddy चौधरी|chaudhary पाटिल|patil नायर|nair',
  },
  {
    language: 'ja-JP',
    location: '大阪',
    phone: '+81 6 6100',
    firstNames:
      '陽菜|hina 蓮|ren さくら|sakura 翔太|shota 美咲|misaki 健|ken 葵|aoi 大翔|hiroto 結衣|yui 拓也|takuya 真由美|mayumi 悠斗|yuto 千尋|chihiro 直樹|naoki ユキ|yuki 学|manabu',
    lastNames:
      '佐藤|sato 鈴木|suzuki 髙橋|takahashi 田中|tanaka 渡邊|watanabe 伊藤|ito 山本|yamamoto 中村|nakamura 小林|kobayashi 加藤|kato 吉田|yoshida 斎藤|saito 松本|matsumoto',
  },
  {
    language: 'zh-CN',
    location: '上海',
    phone: '+86 21 610',
    firstNames:
      '伟|wei 芳|fang 秀英|xiuying 强|qiang 敏|min 静|jing 磊|lei 洋|yang 艳|yan 勇|yong 军|jun 杰|jie 娟|juan 涛|tao 明|ming 超|chao',
    lastNames: '王|wang 李|li 张|zhang 刘|liu 陈|chen 杨|yang 赵|zhao 黄|huang 周|zhou 吴|wu 徐|xu 孙|sun 欧阳|ouyang',
  },
  {
    language: 'ko-KR',
    location: '서울',
    phone: '+82 2 700',
    firstNames:
      '민준|minjun 서연|seoyeon 지호|jiho 하은|haeun 도윤|doyun 지우|jiwoo 예준|yejun 수아|sua 주원|juwon 채원|chaewon 시우|siwoo 다은|daeun 현우|hyunwoo 유진|yujin 성민|seongmin 은지|eunji',
    lastNames: '김|kim 이|lee 박|park 최|choi 정|jung 강|kang 조|cho 윤|yoon 장|jang 임|lim 한|han 오|oh 서|seo',
  },
]
